/** Data to sentences: seats, boxes, reasons, events and options, as people read them. */
import { knows, named, t } from "../device/language.svelte";
import type { EventView, OptionView, Problem, Reason, RulesetView, SeatView, TurnView } from "../wire";

export type OptionValue = OptionView["default"];

/** A player's name; players of the same name get the number of their seat. */
export function seatName(seats: readonly SeatView[], seat: number): string {
  const name = seats[seat]?.name ?? "";
  const isShared = seats.filter((other) => other.name === name).length > 1;
  return isShared ? t("ui-name-with-seat", { name, number: seat + 1 }) : name;
}

/** The label of a box such as `full_house/2`; the column only where there are several. */
export function boxName(ruleset: RulesetView, box: string): string {
  const column = Number(box.split("/")[1] ?? 1);
  const name = rowName(ruleset, box);
  return ruleset.columns.length > 1 || column > 1 ? t("ui-box-in-column", { box: name, column }) : name;
}

/** The label of a box without its column: the printed name of the row. */
export function rowName(ruleset: RulesetView, box: string): string {
  const [id] = box.split("/");
  const category = ruleset.categories.find((row) => row.id === id);
  return category ? named(category.labels) : box;
}

/** The label of a token such as `samuel`. */
export function tokenName(ruleset: RulesetView, token: string): string {
  const labels = ruleset.tokens.find(({ id }) => id === token)?.labels;
  return labels ? named(labels) : token;
}

/** Who is to do what, e.g. for the head of the tray: "Anna throws". */
export function turnText(ruleset: RulesetView, seats: readonly SeatView[], turn: TurnView): string {
  const name = seatName(seats, turn.seat);
  const duty = turn.duty.key;
  if (duty === "duty-help") return t("ui-turn-helps", { name, owner: seatName(seats, turn.owner) });
  if (duty === "duty-choose") return t("ui-turn-chooses", { name });
  if (duty === "duty-pick") return t("ui-turn-picks", { name });
  if (duty === "duty-again") return t("ui-turn-repeats", { name });
  if (turn.box !== null) {
    return t(duty === "duty-enter" ? "ui-turn-for-box-enters" : "ui-turn-for-box", { name, box: rowName(ruleset, turn.box) });
  }
  if (duty === "duty-throw") return t("ui-turn-to-throw", { name });
  return t(duty === "duty-enter" ? "ui-turn-enters" : "ui-turn-throws", { name });
}

/** Columns as people say them: "3–5", "1, 4–5". */
export function columnsText(columns: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const column of columns) {
    const run = runs.at(-1);
    if (run && run[1] === column - 1) run[1] = column;
    else runs.push([column, column]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(", ");
}

type Naming = (ruleset: RulesetView, id: string) => string;
const each = (one: Naming): Naming => (ruleset, ids) => ids.split(", ").map((id) => one(ruleset, id)).join(", ");
const namings: Record<string, Naming> = {
  box: boxName,
  boxes: each(boxName),
  category: rowName,
  rows: each(rowName),
  token: tokenName,
};

/** The sentence of a reason; ids of boxes, rows and tokens become their labels. */
export function reasonText(ruleset: RulesetView, reason: Reason): string {
  const named = Object.entries(reason.params).map(([key, value]) => {
    const naming = namings[key];
    return [key, naming && typeof value === "string" ? naming(ruleset, value) : value];
  });
  return t(reason.key, Object.fromEntries(named) as Reason["params"]);
}

/** The sentence of a problem; one without a text here is shown by its code. */
export function problemText(problem: Problem, ruleset: RulesetView | null = null): string {
  if (!knows(problem.key)) return t("ui-problem", { code: problem.code });
  return ruleset ? reasonText(ruleset, problem) : t(problem.key, problem.params);
}

/** What a token does. */
export function effectOf(ruleset: RulesetView, token: string): "restart" | "helpers" {
  return ruleset.tokens.find(({ id }) => id === token)?.effect ?? "restart";
}

/** What happened, as a sentence for the live region and the list of events; empty: not worth a word. */
export function eventText(ruleset: RulesetView, seats: readonly SeatView[], event: EventView): string {
  const name = seatName(seats, event.seat ?? -1);
  const dice = event.dice.join(" ");
  if (aroundTheGame.has(event.kind)) return aroundText(name, event);
  if (event.kind === "begin") return dice ? t("ui-said-begin-thrown", { name, dice }) : t("ui-said-begin", { name });
  if (event.kind === "throw") {
    if (event.seat !== event.owner) return t("ui-said-help", { name, owner: seatName(seats, event.owner ?? -1), dice });
    return t(event.extra ? "ui-said-extra" : "ui-said-throw", { name, dice });
  }
  if (event.kind === "choose") return t("ui-said-choose", { name, dice });
  if (event.kind === "spend") {
    const token = event.token ?? "";
    return t(`ui-said-spend-${effectOf(ruleset, token)}`, { name, token: tokenName(ruleset, token) });
  }
  if (event.kind === "pick") return t("ui-said-pick", { name, box: rowName(ruleset, event.box ?? "") });
  const box = boxName(ruleset, event.box ?? "");
  const points = event.points ?? 0;
  if (event.bonus > 0) return t("ui-said-enter-bonus", { name, box, points, bonus: event.bonus });
  return points > 0 ? t("ui-said-enter", { name, box, points }) : t("ui-said-strike", { name, box });
}

export const aroundTheGame: ReadonlySet<EventView["kind"]> = new Set<EventView["kind"]>([
  "open",
  "arrange",
  "seal",
  "reveal",
  "substitute",
  "return",
  "say",
  "close",
  "continue",
]);

/** What people around the game did. */
function aroundText(seatedName: string, { kind, name: told, phrase, what, why }: EventView): string {
  const name = told ?? seatedName;
  if (kind === "say" && phrase) return t("ui-said-phrase", { name, phrase: t(`ui-phrase-${phrase}`) });
  if (kind === "substitute" && why) return t(`ui-said-substitute-${why}`, { name });
  if (kind === "return") return t("ui-said-return", { name });
  if (kind === "close") return t("ui-said-close");
  if (kind === "continue") return t("ui-said-continue");
  const isTold = kind === "arrange" && name !== "" && (what === "sit" || what === "rise" || what === "remove" || what === "host" || what === "ready");
  return isTold ? t(`ui-said-${what}`, { name }) : "";
}

const dashed = (id: string) => id.replaceAll("_", "-");

/** The key of a value's text; `list` stands for any list of boxes. */
function valueKey(name: string, value: OptionValue): string {
  return value === "list" ? `ui-list-${dashed(name)}` : `option-${dashed(name)}-${dashed(String(value))}`;
}

/** An option's name, e.g. "Joker". */
export function optionName(name: string, labels: OptionView["labels"] = null): string {
  if (labels) return named(labels);
  const key = `option-${dashed(name)}`;
  return knows(key) ? t(key) : name;
}

/** One or two sentences about an option or one of its values; empty when there are none. */
export function optionHelp(name: string, value?: OptionValue): string {
  const key = value === undefined ? `option-${dashed(name)}.help` : `${valueKey(name, value)}.help`;
  return knows(key) ? t(key) : "";
}

/** A chosen value in a word or two, e.g. "prescribed". */
export function valueName(ruleset: RulesetView, name: string, value: OptionValue): string {
  const key = valueKey(name, value);
  if (knows(key)) return t(key);
  if (typeof value === "boolean") return t(value ? "ui-yes" : "ui-no");
  if (Array.isArray(value)) return value.map((item) => rowName(ruleset, String(item))).join(", ");
  return String(value);
}

/** The chosen options that differ from the ruleset's own values: "Joker: prescribed". */
export function differences(ruleset: RulesetView): { name: string; text: string; help: string }[] {
  return ruleset.options.map(([name, value]) => {
    const isList = Array.isArray(value) && knows(valueKey(name, "list"));
    const short = valueName(ruleset, name, isList ? "list" : value);
    const text = t("ui-option-value", { option: optionName(name), value: short });
    return { name, text, help: isList ? valueName(ruleset, name, value) : optionHelp(name, value) || optionHelp(name) };
  });
}
