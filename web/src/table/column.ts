/** The columns of a pad: which are shown, and how each of them looks just now. */
import { t } from "../device/language.svelte";
import type { ColumnView, RulesetView, TurnView, View } from "../wire";

/** `active`: can be written in; `passed`: no more in this turn; `special`: waits for a special round. */
export type Tone = "active" | "passed" | "special" | "";

export interface PadColumn {
  seat: number;
  index: number; // of the column on this player's pad
  column: ColumnView;
  tone: Tone;
}

/** All columns of these seats, or only the one with index `only`. */
export function padColumns(ruleset: RulesetView, view: View, seats: readonly number[], only: number | null): PadColumn[] {
  return seats.flatMap((seat) =>
    (view.sheets[seat]?.columns ?? []).flatMap((column, index) =>
      only === null || only === index ? [{ seat, index, column, tone: tone(ruleset, view.turn, seat, index, column) }] : [],
    ),
  );
}

function tone(ruleset: RulesetView, turn: TurnView | null, seat: number, index: number, column: ColumnView): Tone {
  const isSpecial = ruleset.columns[index]?.special ?? false;
  if (turn?.owner !== seat) return isSpecial ? "special" : "";
  if (column.is_open || (isSpecial && turn.scene !== "regular")) return "active";
  return isSpecial ? "special" : "passed";
}

/** What is printed under the number of a column; `isShort` where there is little room. */
export function columnNote(ruleset: RulesetView, index: number, isShort = false): string {
  const rule = ruleset.columns[index];
  if (!rule) return "";
  const isMultiplied = ruleset.columns.some(({ multiplier }) => multiplier !== 1);
  return [
    ...(rule.special ? [t("ui-column-special")] : []),
    ...(rule.last_throw !== null ? [t(isShort ? "ui-column-throw-short" : "ui-column-throw", { throw: rule.last_throw })] : []),
    ...(isMultiplied ? [t("ui-column-times", { multiplier: rule.multiplier })] : []),
  ].join(" · ");
}

export type Circle = "empty" | "earned" | "spent";

/** The circles of earned throws that belong into a box: those of a column stand at the first of its boxes. */
export function circles(ruleset: RulesetView, column: ColumnView, category: string): Circle[] {
  const rule = ruleset.earned_throws;
  if (!rule || rule.categories[0] !== category) return [];
  const most = Math.max(column.earned, rule.grant === "each" ? rule.categories.length : 1);
  return Array.from({ length: most }, (_, n) => (n < column.spent ? "spent" : n < column.earned ? "earned" : "empty"));
}
