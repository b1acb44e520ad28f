/** Dice from secrets, as docs/fairness.md says; also where `crypto.subtle` is missing: on plain HTTP. */
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";

const largest = 252; // the largest multiple of 6 that a byte reaches

/** 32 bytes that nobody can guess, in hex. */
export function secret(): string {
  return bytesToHex(crypto.getRandomValues(new Uint8Array(32)));
}

/** What a secret is sealed with. */
export function commitmentOf(secret: string): string {
  return bytesToHex(sha256(hexToBytes(secret)));
}

/** The endless stream of faces of one event; `shares` in seat order, only those that were given. */
export function* faces(seed: string, table: string, shares: readonly string[], event: number): Generator<number, never> {
  const key = hexToBytes(seed);
  for (let block = 0; ; block++) {
    const message = [table, ...shares, event, block].join("|");
    for (const byte of hmac(sha256, key, utf8ToBytes(message))) if (byte < largest) yield (byte % 6) + 1;
  }
}

/** The first faces of an event. */
export function draw(stream: Generator<number, never>, count: number): number[] {
  return Array.from({ length: count }, () => stream.next().value);
}
