/** The rules being made: what stands in the fields, and what the server says of it. */
import { named } from "../device/language.svelte";
import { forgetHouse, housePrefix, knowHouse } from "../device/house";
import { recall, remember } from "../device/settings.svelte";
import { problemText } from "../game/words";
import { houseRules, keepHouse, Refused, rulesets, tryHouse, type PlayablePreview } from "../net/api";
import { Choice } from "../setup/choice.svelte";
import type { HouseRules, Problem, RulesetView } from "../wire";
import { facesOf } from "./rolls";
import { formOf, freeId, idOf, mappingOf, type Form, type RowForm } from "./form";

const place = "knobel.workshop";
const names = { de: "Unsere Regeln", en: "Our rules" };

export class Workshop {
  form = $state<Form | null>(null);
  builtin = $state.raw<RulesetView[]>([]); // to begin with
  rolls = $state(["22555", "12345", "44444", "13446"]);
  seen = $state.raw<PlayablePreview | null>(null); // the last draft that could be played
  problem = $state.raw<Problem | null>(null); // with the draft
  failure = $state.raw<Problem | null>(null); // with anything else
  isSaving = $state(false);
  before = $state.raw<Form | null>(null); // what stood here until something else was laid on the bench
  #question = 0; // the answer to an older one is not wanted any more

  /** What the server is asked, as a text: it changes when anything does. */
  question = $derived(this.form && JSON.stringify({ rules: mappingOf(this.form), rolls: this.rolls.map(facesOf) }));
  /** Does what is shown fit what is in the fields? */
  isPlayable = $derived(this.form !== null && this.seen !== null && this.problem === null);

  /** Open a kept ruleset, else what was being made here, else the classic pad. */
  async open(digest: string): Promise<void> {
    void rulesets().then(
      (offers) => (this.builtin = offers.rulesets.map(({ ruleset }) => ruleset)),
      (error: unknown) => (this.failure = problemOf(error)),
    );
    const kept = recall(place, { form: null as Form | null });
    if (digest) await this.lay(housePrefix + digest);
    else if (kept.form) this.form = kept.form;
    else await this.lay("classic");
  }

  /** Lay a ruleset on the bench; its id, or `house:` and a digest. */
  async lay(id: string): Promise<void> {
    await this.#replace(async () => {
      if (!id.startsWith(housePrefix)) {
        return (await tryHouse({ rules: { base: id, id: "our-rules", labels: names } })).house;
      }
      const digest = id.slice(housePrefix.length);
      const house = await houseRules(digest).catch((error: unknown) => {
        if (error instanceof Refused && error.problem.code === "ruleset/unknown") forgetHouse(digest);
        throw error;
      });
      knowHouse(digest);
      return house;
    });
  }

  /** Lay the rules of a TOML text on the bench; false if it cannot be used. */
  async importToml(toml: string): Promise<boolean> {
    return this.#replace(async () => (await tryHouse({ rules: toml })).house);
  }

  takeBack(): void {
    this.form = this.before;
    this.before = null;
  }

  /** The names of the rules; the id follows the English one. */
  rename(language: "de" | "en", name: string): void {
    if (!this.form) return;
    this.form[language] = name;
    this.form.id = this.#ownId(idOf(this.form.en, "our-rules"));
  }

  /** Ask the server what it says of a draft. */
  async check(question: string): Promise<void> {
    const number = ++this.#question;
    remember(place, { form: this.form });
    try {
      const seen = await tryHouse(JSON.parse(question) as { rules: Record<string, unknown>; rolls: number[][] });
      if (number !== this.#question) return;
      this.seen = seen;
      this.problem = this.failure = null;
      this.#fitRolls(seen.house.ruleset.dice);
    } catch (error) {
      if (number !== this.#question) return;
      const problem = problemOf(error);
      if (problem.code === "ruleset/refused") this.problem = problem;
      else this.failure = problem;
    }
  }

  /** What is wrong at this place of the mapping; empty if nothing is. */
  wrongAt(at: string): string {
    const found = String(this.problem?.params["at"] ?? "");
    return this.problem && (found === at || found.startsWith(`${at}.`)) ? problemText(this.problem) : "";
  }

  /** The problem with the place it is about, in words. */
  get complaint(): string {
    if (!this.problem) return "";
    const [list, id] = String(this.problem.params["at"] ?? "").split(".");
    const row = list === "categories" ? this.form?.rows.find((row) => row.id === id) : undefined;
    return (row ? `${named(row)}: ` : "") + problemText(this.problem);
  }

  /** Keep the draft on the server; null if it was refused. */
  async keep(): Promise<HouseRules | null> {
    if (!this.form || this.isSaving) return null;
    this.isSaving = true;
    try {
      const house = await keepHouse({ rules: mappingOf(this.form) });
      knowHouse(house.digest);
      this.failure = null;
      return house;
    } catch (error) {
      const problem = problemOf(error);
      if (problem.code === "ruleset/refused") this.problem = problem;
      else this.failure = problem;
      return null;
    } finally {
      this.isSaving = false;
    }
  }

  /** Keep the draft and lay a table with those who played last; its id. */
  async play(): Promise<string | null> {
    const house = await this.keep();
    if (!house) return null;
    try {
      return await new Choice().lay(housePrefix + house.digest, {});
    } catch (error) {
      this.failure = problemOf(error);
      return null;
    }
  }

  /** Put a row on the pad, upper ones after the upper ones; its id. */
  add(pattern: RowForm): string | null {
    if (!this.form) return null;
    const { rows } = this.form;
    const row = { ...structuredClone(pattern), id: freeId(rows, pattern.id) };
    const place = row.section === "upper" ? rows.filter(({ section }) => section === "upper").length : rows.length;
    rows.splice(place, 0, row);
    return row.id;
  }

  reroll(): void {
    const dice = this.seen?.house.ruleset.dice ?? 5;
    const face = () => String(1 + Math.floor(6 * Math.random())); // only samples: no game depends on them
    this.rolls = this.rolls.map(() => Array.from({ length: dice }, face).sort().join(""));
  }

  #ownId(id: string): string {
    return this.builtin.some((known) => known.id === id) ? `our-${id}`.slice(0, 40) : id;
  }

  #fitRolls(dice: number): void {
    if (this.rolls.every((roll) => roll.length === dice || facesOf(roll).length === 0)) return;
    this.rolls = this.rolls.map((roll) => roll.slice(0, dice).padEnd(dice, roll.at(-1)));
  }

  async #replace(load: () => Promise<HouseRules>): Promise<boolean> {
    try {
      const { rules } = await load();
      this.before = this.form && $state.snapshot(this.form);
      this.form = formOf(rules);
      this.form.id = this.#ownId(rules.id); // an exported file may still have the id of what it was made from
      this.problem = this.failure = null;
      return true;
    } catch (error) {
      this.failure = problemOf(error);
      return false;
    }
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof Refused) return error.problem;
  throw error;
}
