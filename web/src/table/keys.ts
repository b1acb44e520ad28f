/** Keys of the table page. Where the focus is on a button, that button has its own say. */
import type { Table } from "../game/table.svelte";

/** Handle a key; `press` is the big button. */
export function handleKey(event: KeyboardEvent, table: Table, press: () => void): void {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const target = event.target as HTMLElement;
  if (target.closest("input, select, textarea")) return;
  if (/^[1-6]$/.test(event.key) && isTypingDice(table)) table.type(Number(event.key));
  else if (event.key === "Backspace" && isTypingDice(table)) table.untype();
  else if (/^[1-9]$/.test(event.key)) markOrTake(table, Number(event.key) - 1);
  else if (event.key === "Escape") table.unmark();
  else if (event.key.startsWith("Arrow")) moveThroughPad(event);
  else if (event.key === "Enter" && target.closest(".pool") && table.chosen.size === table.ruleset?.dice) {
    event.preventDefault();
    table.confirm();
  } else if (target.closest("button, a, [role=tab]")) return;
  else if (event.repeat) return;
  else if (event.key === " " || event.key === "Enter") {
    event.preventDefault();
    if (event.key === "Enter" && table.preview) table.write(table.preview);
    else press();
  }
}

/** Do the keys 1 to 6 mean faces of real dice? Before another throw they mark dice until the first face is tapped. */
function isTypingDice(table: Table): boolean {
  const isThere = Boolean(document.activeElement?.closest(".typed"));
  return table.toType > 0 && (isThere || table.dice === null || table.typed.length > 0 || !table.canMark);
}

/** Mark a die in the tray; in the pool a die of the group that has the focus, else of the first. */
function markOrTake(table: Table, position: number): void {
  if (table.turn?.duty.key !== "duty-choose") {
    table.mark(position);
    return;
  }
  const group = document.activeElement?.closest(".pool [role=group]") ?? document.querySelector(".pool [role=group]");
  const die = group?.querySelectorAll<HTMLButtonElement>("button")[position];
  die?.focus();
  die?.click();
}

/** All boxes that can be used now, or the dice of the pool that can be chosen. */
export function usableBoxes(): HTMLButtonElement[] {
  return [...document.querySelectorAll<HTMLButtonElement>("button[data-box], button[data-place]")];
}

/** Arrow keys: up and down in a column, left and right to the nearest row of the next column. */
function moveThroughPad(event: KeyboardEvent): void {
  const buttons = usableBoxes();
  if (buttons.length === 0) return;
  const from = buttons.find((button) => button === document.activeElement);
  if (!from) {
    const isElsewhere = document.activeElement !== document.body && !document.activeElement?.closest(".tray");
    if (isElsewhere || !/Up|Down/.test(event.key)) return;
    event.preventDefault();
    buttons[0]?.focus();
    return;
  }
  // where the paper or the row of dice has it: a die in flight is elsewhere
  const place = (button: HTMLElement) => {
    const { x, y } = (button.parentElement ?? button).getBoundingClientRect();
    return { x: x + button.offsetLeft, y };
  };
  const [x, y] = [place(from).x, place(from).y];
  const isSideways = /Left|Right/.test(event.key);
  const sign = /Down|Right/.test(event.key) ? 1 : -1;
  const ahead = buttons.filter((button) => sign * (isSideways ? place(button).x - x : place(button).y - y) > 1);
  const near = (button: HTMLElement) => Math.abs(place(button).x - x) * 100 + Math.abs(place(button).y - y);
  const next = ahead.sort((a, b) => near(a) - near(b))[0];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
