/** What the big button does next, and what it says. */
import { t } from "../device/language.svelte";
import type { Table } from "../game/table.svelte";
import { boxName, columnsText, rowName, seatName } from "../game/words";
import type { BoxView, RulesetView, TurnView } from "../wire";
import { usableBoxes } from "./keys";

export interface Step {
  label: string;
  isCalm: boolean; // nothing to press just now, or it is done on the pad
  isOff: boolean;
  run: () => void;
}

export function nextStep(table: Table): Step {
  const { ruleset, turn } = table;
  if (table.isWaiting) return { label: t("ui-skip"), isCalm: true, isOff: false, run: () => table.skip() };
  if (!ruleset || !turn) return { label: "", isCalm: true, isOff: true, run: () => undefined };
  const name = seatName(table.seats, turn.seat);
  if (!table.isMine) {
    const isAway = table.seats[turn.seat]?.kind === "person" && table.room.isThere(turn.seat) === false;
    const label = t(isAway ? "ui-watching-away" : "ui-watching", { name });
    return { label, isCalm: true, isOff: true, run: () => undefined };
  }
  return { isCalm: false, isOff: table.isSent, ...dutyStep(table, ruleset, turn) };
}

function dutyStep(table: Table, ruleset: RulesetView, turn: TurnView): Pick<Step, "label" | "run"> & Partial<Step> {
  const toss = () => table.throwDice();
  if (table.toType > 0) {
    const left = table.toType - table.typed.length;
    if (left === 0) return { label: t("ui-typed-enter"), run: toss };
    const toFaces = () => document.querySelector<HTMLButtonElement>(".typed .due button")?.focus();
    return { label: t("ui-typed-left", { count: left }), isCalm: true, run: toFaces };
  }
  switch (turn.duty.key) {
    case "duty-help":
      return { label: t("ui-throw-help", { owner: seatName(table.seats, turn.owner) }), run: toss };
    case "duty-again":
      return { label: t("ui-throw-repeat"), run: toss };
    case "duty-choose":
      return chooseStep(table, ruleset);
    case "duty-pick":
      return onPad(table, t("ui-pick-box"), (box) => t("ui-pick-preview", { box: rowName(ruleset, box.box) }));
  }
  const write = (box: BoxView) => {
    const points = (box.potential?.points ?? 0) + (box.potential?.bonus ?? 0);
    return t("ui-write-preview", { box: boxName(ruleset, box.box), points });
  };
  if (turn.duty.key === "duty-enter") return onPad(table, t("ui-choose-box"), write);
  if (table.plan.kind === "none") return onPad(table, t(table.word === "again" ? "ui-throw-none" : "ui-throw-none-kept"), write);
  const ahead = columnsAhead(table, ruleset, turn);
  const label =
    ahead.length > 0
      ? t("ui-throw-on", { count: ahead.length, columns: columnsText(ahead) })
      : t(`ui-throw-${table.plan.kind}`, { count: table.plan.again.length });
  return { label, run: toss };
}

/** Dice are chosen in the pool; the button takes them once they are enough. */
function chooseStep(table: Table, ruleset: RulesetView): Pick<Step, "label" | "run"> & Partial<Step> {
  const { dice } = ruleset;
  if (table.chosen.size === dice) return { label: t("ui-choose-take", { dice }), run: () => table.confirm() };
  const label = t("ui-choose-count", { count: table.chosen.size, dice });
  return { label, isCalm: true, run: () => usableBoxes()[0]?.focus() };
}

/** What comes next is done on the pad; the button writes what is previewed there. */
function onPad(table: Table, label: string, previewLabel: (box: BoxView) => string): Pick<Step, "label" | "run"> & Partial<Step> {
  const previewed = table.boxes.find(({ box }) => box === table.preview);
  if (previewed) return { label: previewLabel(previewed), run: () => table.write(previewed.box) };
  return { label, isCalm: true, run: () => usableBoxes()[0]?.focus() };
}

/** The columns, counted from 1, that another throw leaves open; empty where throws close no columns. */
function columnsAhead(table: Table, ruleset: RulesetView, turn: TurnView): number[] {
  const isGated = ruleset.columns.some((column) => column.last_throw !== null);
  if (!isGated || turn.scene !== "regular" || turn.throw === 0) return [];
  return ruleset.columns.flatMap(({ last_throw: last, special }, index) => {
    const isOpen = !special && (last === null || last > turn.throw);
    return isOpen && table.sheet?.columns[index]?.boxes.some(({ points }) => points === null) ? [index + 1] : [];
  });
}
