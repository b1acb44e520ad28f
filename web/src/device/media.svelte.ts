/** What the screen is like: `narrow` where the pads scroll by themselves, `phone` with the tray docked below them. */
import { MediaQuery } from "svelte/reactivity";

export const narrow = new MediaQuery("(max-width: 899px)");
export const phone = new MediaQuery("(max-width: 899px) and (orientation: portrait)");
