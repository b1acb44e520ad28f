/** What is being chosen for a new table; remembered on this device. */
import { t } from "../device/language.svelte";
import { forgetHouse, housePrefix, knownHouse } from "../device/house";
import { planFor } from "../device/plan";
import { recall, remember } from "../device/settings.svelte";
import { clocks } from "../game/terms";
import type { OptionValue } from "../game/words";
import { compose, houseRules, newTable, Refused, rulesets } from "../net/api";
import type { NewTable, OptionView, Problem, RulesetOffer, RulesetView, SeatChoice, TermsView } from "../wire";

export const mostSeats = 12;
const place = "knobel.setup";
const usual = {
  ruleset: "classic",
  options: {} as Record<string, Record<string, OptionValue>>,
  seats: [] as SeatChoice[],
  begin: "seat" as NewTable["begin"],
  pace: "live" as NewTable["pace"],
  clock: null as number | null,
  isPublic: false,
  dice: "provable" as NewTable["dice"],
  names: [] as string[], // of people who have played here
};

export interface Seat extends SeatChoice {
  id: number; // for the list on the screen
}

let lastSeat = 0;
const seated = (seat: SeatChoice): Seat => ({ name: seat.name, kind: seat.kind, id: ++lastSeat });

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

export class Choice {
  offers = $state.raw<RulesetOffer[] | null>(null);
  options = $state<typeof usual.options>({}); // by ruleset, only what was touched
  seats = $state<Seat[]>([]);
  begin = $state<NewTable["begin"]>("seat");
  pace = $state<NewTable["pace"]>("live");
  clock = $state<number | null>(null);
  isPublic = $state(false);
  dice = $state<NewTable["dice"]>("provable");
  names = $state<string[]>([]);
  composed = $state.raw<RulesetView | null>(null);
  problem = $state.raw<Problem | null>(null); // with the chosen options
  failure = $state.raw<Problem | null>(null); // with anything else
  isStarting = $state(false);
  #ruleset = $state("");
  #question = 0; // the answer to an older one is not wanted any more

  offer = $derived(this.offers?.find(({ ruleset }) => ruleset.id === this.#ruleset) ?? this.offers?.[0] ?? null);
  touched: Record<string, OptionValue> = $derived(this.options[this.offer?.ruleset.id ?? ""] ?? {});
  /** What is sent: usable options that differ from the ruleset's own values. */
  chosen = $derived.by(() => {
    const usable = (this.offer?.options ?? []).filter((option) => this.unmet(option).length === 0);
    const changed = usable.filter((option) => !isSame(this.valueOf(option), option.default));
    return Object.fromEntries(changed.map((option) => [option.name, this.valueOf(option)]));
  });

  /** Do others come? */
  isShared = $derived(this.seats.some(({ kind }) => kind === "free"));
  /** Pace, clock and list matter only among people at several devices; real dice cannot decide who begins. */
  terms: TermsView = $derived({
    begin: this.dice === "typed" && /random|highest_throw/.test(this.begin) ? "seat" : this.begin,
    dice: this.dice,
    pace: this.isShared ? this.pace : "live",
    clock: this.isShared && clocks[this.pace].includes(this.clock) ? this.clock : this.isShared && this.pace === "slow" ? (clocks.slow[1] ?? null) : null,
    public: this.isShared && this.isPublic,
  });

  constructor() {
    const kept = recall(place, usual);
    this.#ruleset = kept.ruleset;
    this.options = kept.options;
    this.begin = kept.begin;
    this.pace = kept.pace;
    this.clock = kept.clock;
    this.isPublic = kept.isPublic;
    this.dice = kept.dice;
    this.names = kept.names;
    this.seats = kept.seats.slice(0, mostSeats).map(seated);
    if (this.seats.length === 0) {
      this.add("person");
      this.add("computer");
    }
  }

  async load(): Promise<void> {
    try {
      const [offers, house] = await Promise.all([rulesets(), houseOffers()]);
      this.offers = [...offers.rulesets, ...house];
      await this.check();
    } catch (error) {
      this.failure = problemOf(error);
    }
  }

  pick(ruleset: string): void {
    this.#ruleset = ruleset;
    void this.check();
  }

  valueOf(option: OptionView): OptionValue {
    return this.touched[option.name] ?? option.default;
  }

  set(option: OptionView, value: OptionValue): void {
    const ruleset = this.offer?.ruleset.id;
    if (ruleset === undefined) return;
    const { [option.name]: _, ...others } = this.touched;
    this.options[ruleset] = isSame(value, option.default) ? others : { ...others, [option.name]: value };
    void this.check();
  }

  reset(): void {
    if (this.offer) this.options[this.offer.ruleset.id] = {};
    void this.check();
  }

  /** The needs of an option that the present choice does not meet. */
  unmet(option: OptionView): OptionView["needs"] {
    return option.needs.filter(([name, values]) => {
      const needed = this.offer?.options.find((other) => other.name === name);
      if (!needed || this.unmet(needed).length > 0) return true;
      const value = this.valueOf(needed);
      return !values.some((allowed) => isSame(allowed, value) || (allowed === "list" && Array.isArray(value)));
    });
  }

  /** Ask the server whether these options go together. */
  async check(): Promise<void> {
    const question = ++this.#question;
    if (!this.offer) return;
    try {
      const composed = await compose({ ruleset: this.offer.ruleset.id, options: this.chosen });
      if (question !== this.#question) return;
      this.composed = composed;
      this.problem = null;
    } catch (error) {
      if (question === this.#question) this.problem = problemOf(error);
    }
  }

  /** The seats with their names, as the server wants them. */
  get seating(): SeatChoice[] {
    return this.seats.map((seat) => ({
      name: seat.kind === "free" ? "" : seat.name.trim() || this.nameFor(seat),
      kind: seat.kind,
    }));
  }

  /** The name that a seat without one gets. */
  nameFor(seat: SeatChoice): string {
    const number = this.seats.filter(({ kind }) => kind === seat.kind).findIndex((other) => other === seat) + 1;
    if (seat.kind === "free") return t("ui-seat-free-number", { number: this.seats.findIndex((other) => other === seat) + 1 });
    return t(seat.kind === "person" ? "ui-seat-guest" : "ui-seat-machine", { number: number || 1 });
  }

  add(kind: SeatChoice["kind"]): void {
    if (this.seats.length >= mostSeats) return;
    const isUsed = (name: string) => this.seats.some((seat) => seat.name === name);
    const name = kind === "person" ? (this.names.find((known) => !isUsed(known)) ?? "") : "";
    this.seats.push(seated({ name, kind }));
  }

  remove(seat: Seat): void {
    this.seats = this.seats.filter(({ id }) => id !== seat.id);
  }

  move(index: number, by: -1 | 1): void {
    const [seat] = this.seats.splice(index, 1);
    if (seat) this.seats.splice(index + by, 0, seat);
  }

  /** Make the table; its id, or null if the server refused. */
  async start(): Promise<string | null> {
    if (!this.offer || this.isStarting || this.seats.length === 0) return null;
    this.isStarting = true;
    this.failure = null;
    this.#keep();
    try {
      return await this.lay(this.offer.ruleset.id, this.chosen);
    } catch (error) {
      this.failure = problemOf(error);
      return null;
    } finally {
      this.isStarting = false;
    }
  }

  /** A new table with these seats; it begins by itself if nobody else is to come. */
  async lay(ruleset: string, options: NewTable["options"]): Promise<string> {
    const { isShared, seating: seats, terms } = this;
    const { id } = await newTable({ ruleset, options, seats, ...terms });
    if (!isShared) planFor(id, { start: true });
    return id;
  }

  #keep(): void {
    const people = this.seats.filter(({ kind, name }) => kind === "person" && name.trim() !== "").map(({ name }) => name.trim());
    const names = [...people, ...this.names].filter((name, index, all) => all.indexOf(name) === index).slice(0, 30);
    const seats = this.seats.map(({ name, kind }) => ({ name: name.trim(), kind }));
    const { begin, clock, dice, isPublic, options, pace } = this;
    remember(place, { ruleset: this.offer?.ruleset.id, options, seats, begin, clock, dice, isPublic, pace, names });
  }
}

/** The house rulesets that this device knows, by `house:` and their digest. */
async function houseOffers(): Promise<RulesetOffer[]> {
  const found = knownHouse().map(async (digest): Promise<RulesetOffer[]> => {
    try {
      const { ruleset } = await houseRules(digest);
      return [{ ruleset: { ...ruleset, id: housePrefix + digest }, options: [] }];
    } catch (error) {
      if (problemOf(error).code === "ruleset/unknown") forgetHouse(digest); // another server, or another database
      return [];
    }
  });
  return (await Promise.all(found)).flat();
}

function problemOf(error: unknown): Problem {
  if (error instanceof Refused) return error.problem;
  throw error;
}
