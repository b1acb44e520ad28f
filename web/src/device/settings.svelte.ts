/** What players like on this device. Nothing here is part of a game. */
import type { Word } from "../game/marks";
import type { Pace } from "../game/pace";

export interface Settings {
  language: "auto" | "de" | "en";
  theme: "auto" | "light" | "dark";
  pace: Pace;
  marks: Record<string, Word>; // by ruleset; where missing, the habit of the ruleset
  clicks: Record<string, 1 | 2>; // the same
}

const place = "knobel.settings";
const usual: Settings = { language: "auto", theme: "auto", pace: "normal", marks: {}, clicks: {} };

/** JSON kept in this browser; `fallback` when there is none, or storage is switched off. */
export function recall<T extends object>(key: string, fallback: T): T {
  try {
    return { ...fallback, ...(JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<T>) };
  } catch {
    return fallback;
  }
}

/** Keep JSON in this browser, if it lets us. */
export function remember(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // private mode or full: the setting holds for this visit
  }
}

export const settings = $state(recall(place, usual));

/** Apply the theme now and at each change, and keep all settings; call once, inside an effect root. */
export function keepSettings(): void {
  $effect(() => {
    const root = document.documentElement;
    if (settings.theme === "auto") delete root.dataset["theme"];
    else root.dataset["theme"] = settings.theme;
  });
  $effect(() => remember(place, settings));
}
