/** Tokens and earned throws: whether they can be used now, and why not. */
import { t } from "../device/language.svelte";
import type { Table } from "../game/table.svelte";
import { tokenName } from "../game/words";
import type { SheetView } from "../wire";

/** How often a token may still be used. */
export function leftOf(sheet: SheetView | null, token: string): number {
  return sheet?.left.find(([id]) => id === token)?.[1] ?? 0;
}

/** Why the player on turn cannot spend a token now; empty: he can. */
export function tokenBar(table: Table, id: string): string {
  const { ruleset, turn, sheet } = table;
  if (!ruleset || !turn) return "";
  const token = tokenName(ruleset, id);
  if (leftOf(sheet, id) === 0) return t("ui-token-used", { token });
  if (turn.spendable.includes(id)) return "";
  return t(turn.roll === null ? "ui-token-first" : "ui-token-later", { token });
}

/** Why the player on turn cannot use an earned throw now; empty: he can. */
export function extraBar(table: Table): string {
  const { turn, sheet } = table;
  if (!turn || sheet?.spare_throws === 0) return t("ui-extra-throw-none");
  if (turn.extra_throws === 0) return t("ui-extra-throw-later");
  return table.plan.kind === "none" ? t(table.word === "again" ? "ui-hint-again-none" : "ui-hint-keep-all") : "";
}
