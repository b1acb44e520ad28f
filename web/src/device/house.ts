/** House rulesets that this device knows, the latest first. */
import { recall, remember } from "./settings.svelte";

const place = "knobel.house";
const most = 30;

export const housePrefix = "house:";

export function knownHouse(): string[] {
  const { digests } = recall(place, { digests: [] as string[] });
  return digests.filter((digest) => /^[0-9a-f]{64}$/.test(digest));
}

export function knowHouse(digest: string): void {
  remember(place, { digests: [digest, ...knownHouse().filter((known) => known !== digest)].slice(0, most) });
}

export function forgetHouse(digest: string): void {
  remember(place, { digests: knownHouse().filter((known) => known !== digest) });
}
