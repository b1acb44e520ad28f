/** What is agreed for a table, in words; and codes as people read them. */
import { t } from "../device/language.svelte";
import type { TermsView } from "../wire";

/** Seconds for a turn that can be chosen, by pace; null: as long as it takes, in slow games three days. */
export const clocks: Record<TermsView["pace"], readonly (number | null)[]> = {
  live: [null, 30, 60, 120],
  slow: [86_400, 259_200, 604_800],
};

/** "60 seconds", "3 days". */
export function spanText(seconds: number): string {
  if (seconds >= 86_400) return t("ui-span-days", { count: Math.floor(seconds / 86_400) });
  if (seconds >= 3_600) return t("ui-span-hours", { count: Math.floor(seconds / 3_600) });
  if (seconds >= 120) return t("ui-span-minutes", { count: Math.floor(seconds / 60) });
  return t("ui-span-seconds", { count: Math.ceil(seconds) });
}

export function clockText(clock: number | null): string {
  return clock === null ? t("ui-clock-none") : t("ui-clock-turn", { span: spanText(clock) });
}

/** In a few words each: pace, clock, dice, who may come. */
export function termsTexts(terms: TermsView): string[] {
  return [
    t(`ui-pace-${terms.pace}`),
    ...(terms.clock === null ? [] : [clockText(terms.clock)]),
    ...(terms.dice === "typed" ? [t("ui-dice-typed")] : []),
    ...(terms.public ? [t("ui-public-yes")] : []),
  ];
}

/** ABCD-EFGH */
export function groupedCode(code: string): string {
  return code.replace(/(.{4})(?=.)/g, "$1-");
}

/** What was typed, as a code: capital letters and digits only. */
export function cleanCode(typed: string): string {
  return typed.toUpperCase().replace(/[^A-Z0-9]/g, "").slice(0, 8);
}
