/** The line under the big button: what went wrong, why a number is what it is, or what may be done. */
import { t } from "../device/language.svelte";
import type { Table } from "../game/table.svelte";
import { boxName, problemText, reasonText } from "../game/words";
import type { BoxView, RulesetView } from "../wire";

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
  const looked = table.boxes.find(({ box }) => box === (table.inspected ?? table.preview));
  if (looked?.potential) {
    const why = `${boxName(ruleset, looked.box)}: ${whyText(ruleset, looked)}`;
    return looked.box === table.preview ? `${why} ${t("ui-hint-preview")}` : why;
  }
  const [barred] = barredTexts(ruleset, table.boxes);
  if (barred) return barred;
  if (turn.duty.key === "duty-enter") return t("ui-hint-enter");
  if (table.plan.kind === "first") return t("ui-hint-first");
  if (table.plan.kind === "none") return t(table.word === "again" ? "ui-hint-again-none" : "ui-hint-keep-all");
  return t(table.word === "again" ? "ui-hint-again" : "ui-hint-keep");
}
