/** Sentences that people read: the same Fluent catalogs that the Python side loads. */
import { FluentBundle, FluentResource, type FluentVariable } from "@fluent/bundle";
import de from "$texts/de.ftl?raw";
import en from "$texts/en.ftl?raw";

const catalogs = { de, en };
export type Language = keyof typeof catalogs;
export type Params = Record<string, FluentVariable>;
export const languages = Object.keys(catalogs) as Language[];

export interface Texts {
  language: Language;
  has: (key: string) => boolean;
  /** The sentence of a key such as `app-tagline` or, for an attribute, `option-joker.help`; a missing one is an error. */
  say: (key: string, params?: Params) => string;
}

/** The first known language of a preference list such as `navigator.languages`, else German. */
export function pickLanguage(preferences: readonly string[]): Language {
  const known = preferences.map((tag) => tag.slice(0, 2).toLowerCase());
  return known.find((tag): tag is Language => tag in catalogs) ?? "de";
}

/** All sentences of one language. */
export function texts(language: Language): Texts {
  const bundle = new FluentBundle(language, { useIsolating: false });
  const [broken] = bundle.addResource(new FluentResource(catalogs[language]));
  if (broken) throw broken;
  const find = (key: string) => {
    const [id = "", attribute] = key.split(".");
    const message = bundle.getMessage(id);
    return attribute === undefined ? message?.value : message?.attributes[attribute];
  };
  return {
    language,
    has: (key) => Boolean(find(key)),
    say: (key, params) => {
      const pattern = find(key);
      if (!pattern) throw new Error(`no text for ${key} in ${language}`);
      return bundle.formatPattern(pattern, params);
    },
  };
}
