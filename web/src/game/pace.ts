/** How fast the turns of computer players are shown. */
export type Pace = "slow" | "normal" | "fast" | "off";
export const paces: readonly Pace[] = ["slow", "normal", "fast", "off"];

/** The pause after a throw or an entry, in milliseconds. */
export const beat: Record<Pace, number> = { slow: 1600, normal: 900, fast: 350, off: 0 };
