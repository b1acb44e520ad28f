/** The line under the big button: what went wrong, why a number is what it is, or what may be done. */
import { t } from "../device/language.svelte";
import type { Table } from "../game/table.svelte";
import { boxName, effectOf, problemText, reasonText, seatName, tokenName } from "../game/words";
import type { BoxView, RulesetView, TurnView } from "../wire";

/** Why a box brings what it brings. */
export function whyText(ruleset: RulesetView, box: BoxView): string {
  return (box.potential?.why ?? []).map((reason) => reasonText(ruleset, reason)).join(" ");
}

/** The reasons why some free boxes may not be used now, each once. */
export function barredTexts(ruleset: RulesetView, boxes: readonly BoxView[]): string[] {
  const barred = boxes.filter((box) => box.potential && !box.potential.legal);
  return [...new Set(barred.map((box) => reasonText(ruleset, lastReason(box))))];
}

const lastReason = (box: BoxView) => box.potential?.why.at(-1) ?? { key: "ui-box-barred", params: {} };

export function hint(table: Table): string {
  const { ruleset, turn } = table;
  if (!ruleset || !turn) return "";
  if (table.problem) return problemText(table.problem, ruleset);
  if (table.isWaiting) return t("ui-hint-computer");
  if (!table.isMine) return ""; // the button says it
  if (table.told) return table.told;
  if (table.armed) {
    const text = t(`ui-token-${effectOf(ruleset, table.armed)}`, { token: tokenName(ruleset, table.armed) });
    return `${text} ${t("ui-token-sure")}`;
  }
  const looked = table.boxes.find(({ box }) => box === (table.inspected ?? table.preview));
  if (looked?.potential) {
    const why = `${boxName(ruleset, looked.box)}: ${whyText(ruleset, looked)}`;
    return looked.box === table.preview ? `${why} ${t("ui-hint-preview")}` : why;
  }
  return dutyHint(table, ruleset, turn);
}

function dutyHint(table: Table, ruleset: RulesetView, turn: TurnView): string {
  switch (turn.duty.key) {
    case "duty-help":
      return t("ui-hint-help", { owner: seatName(table.seats, turn.owner) });
    case "duty-again":
      return t("ui-hint-repeat");
    case "duty-choose":
      return t(table.chosen.size === ruleset.dice ? "ui-hint-choose-full" : "ui-hint-choose", { dice: ruleset.dice });
    case "duty-pick":
      return t(table.preview ? "ui-hint-pick-preview" : "ui-hint-pick");
  }
  const isByColumn = ruleset.columns.some(({ last_throw: last, special }) => special || last !== null);
  const [barred] = isByColumn ? [] : barredTexts(ruleset, table.boxes); // the pad shows by itself which columns are open
  if (barred) return barred;
  if (turn.duty.key === "duty-enter") return t("ui-hint-enter");
  if (table.toType > 0) return t("ui-hint-typed");
  if (table.plan.kind === "first") return t("ui-hint-first");
  const best = isByColumn && turn.scene === "regular" ? bestText(ruleset, table.boxes) : "";
  if (best) return best;
  if (table.plan.kind === "none") return t(table.word === "again" ? "ui-hint-again-none" : "ui-hint-keep-all");
  return t(table.word === "again" ? "ui-hint-again" : "ui-hint-keep");
}

/** The box that brings most, where that is more than a few pips. */
function bestText(ruleset: RulesetView, boxes: readonly BoxView[]): string {
  const worth = (box: BoxView) => (box.potential?.legal ? box.potential.points + box.potential.bonus : 0);
  const best = boxes.toSorted((a, b) => worth(b) - worth(a))[0];
  if (!best || worth(best) < 20) return "";
  return t("ui-hint-or-enter", { box: boxName(ruleset, best.box), points: worth(best) });
}
