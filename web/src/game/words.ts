/** Data to sentences: seats, boxes, reasons, events and options, as people read them. */
import { knows, named, t } from "../device/language.svelte";
import type { EventView, OptionView, Problem, Reason, RulesetView, SeatView } from "../wire";

export type OptionValue = OptionView["default"];

/** A player's name; players of the same name get the number of their seat. */
export function seatName(seats: readonly SeatView[], seat: number): string {
  const name = seats[seat]?.name ?? "";
  const isShared = seats.filter((other) => other.name === name).length > 1;
  return isShared ? t("ui-name-with-seat", { name, number: seat + 1 }) : name;
}

/** The label of a box such as `full_house/2`; the column only where there are several. */
export function boxName(ruleset: RulesetView, box: string): string {
  const [id, column] = box.split("/");
  const category = ruleset.categories.find((row) => row.id === id);
  const name = category ? named(category.labels) : box;
  return ruleset.multipliers.length > 1 ? t("ui-box-in-column", { box: name, column: Number(column ?? 1) }) : name;
}

/** The sentence of a reason; ids of boxes become their labels. */
export function reasonText(ruleset: RulesetView, reason: Reason): string {
  const params = { ...reason.params };
  for (const key of ["box", "category"]) {
    const id = params[key];
    if (typeof id === "string") params[key] = boxName(ruleset, id);
  }
  return t(reason.key, params);
}

/** The sentence of a problem; one without a text here is shown by its code. */
export function problemText(problem: Problem, ruleset: RulesetView | null = null): string {
  if (!knows(problem.key)) return t("ui-problem", { code: problem.code });
  return ruleset ? reasonText(ruleset, problem) : t(problem.key, problem.params);
}

/** What happened, as a sentence for the live region and the list of events. */
export function eventText(ruleset: RulesetView, seats: readonly SeatView[], event: EventView): string {
  const name = seatName(seats, event.seat);
  const dice = event.dice.join(" ");
  if (event.kind === "begin") return dice ? t("ui-said-begin-thrown", { name, dice }) : t("ui-said-begin", { name });
  if (event.kind === "throw") return t("ui-said-throw", { name, dice });
  const box = boxName(ruleset, event.box ?? "");
  const points = event.points ?? 0;
  if (event.bonus > 0) return t("ui-said-enter-bonus", { name, box, points, bonus: event.bonus });
  return points > 0 ? t("ui-said-enter", { name, box, points }) : t("ui-said-strike", { name, box });
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
  if (Array.isArray(value)) return value.map((item) => boxName({ ...ruleset, multipliers: [1] }, String(item))).join(", ");
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
