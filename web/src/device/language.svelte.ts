/** The language of this page: `t` for sentences, `named` for labels that come with the data. */
import { languages, pickLanguage, texts, type Language, type Params } from "../text";
import type { Labels } from "../wire";
import { settings } from "./settings.svelte";

const all = Object.fromEntries(languages.map((language) => [language, texts(language)]));

/** The language in use; reading it in a component makes that follow the switch. */
export function language(): Language {
  return settings.language === "auto" ? pickLanguage(navigator.languages) : settings.language;
}

/** The sentence of a key; see `Texts.say`. */
export function t(key: string, params?: Params): string {
  return all[language()]?.say(key, params) ?? key;
}

/** Is there such a sentence? For keys that come from outside. */
export function knows(key: string): boolean {
  return all[language()]?.has(key) ?? false;
}

/** A label that a ruleset brings along. */
export function named(labels: Labels): string {
  return labels[language()];
}
