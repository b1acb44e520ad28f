import { beforeEach, expect, test } from "vitest";
import type { Update } from "../net/link";
import type { EventView } from "../wire";
import { Playback, type Step } from "./playback";

let shown: string[];
let waiting: (() => void) | null;
let playback: Playback;

const name = (step: Step) => (step.kind === "marks" ? `marks ${step.event.thrown.join("")}` : `v${step.update.live.version}`);

function update(version: number, seat: number, thrown: number[] | null = null): Update {
  const event = { version, seat, kind: thrown ? "throw" : "enter", dice: thrown ? [1, 2, 3, 4, 5] : [], thrown: thrown ?? [] };
  return { type: "update", events: [event as EventView], live: { version } as Update["live"] };
}

function tick() {
  const run = waiting;
  waiting = null;
  run?.();
}

beforeEach(() => {
  shown = [];
  waiting = null;
  playback = new Playback({
    show: (step) => shown.push(name(step)),
    pause: (step) => (step.kind === "state" && step.update.events[0]?.kind === "throw" && step.update.events[0].seat === 0 ? 0 : 100),
    urgent: (message) => message.events[0]?.seat === 0, // seat 0 is a person, seat 1 a computer
    later: (_, run) => {
      waiting = run;
      return () => (waiting = null);
    },
  });
});

test("events of a computer player appear one by one, each exactly once and in order", () => {
  playback.push(update(1, 1, [0, 1, 2, 3, 4]));
  playback.push(update(2, 1, [3, 4]));
  playback.push(update(3, 1));
  expect(shown).toEqual(["v1"]);
  expect(playback.busy).toBe(true);
  for (let n = 0; n < 5; n++) tick();
  expect(shown).toEqual(["v1", "marks 34", "v2", "v3"]);
  expect(playback.busy).toBe(false);
});

test("what a person does is shown at once, even in the pause after the last entry", () => {
  playback.push(update(1, 1));
  expect(playback.busy).toBe(false);
  playback.push(update(2, 0, [1, 2]));
  playback.push(update(3, 0));
  expect(shown).toEqual(["v1", "v2", "v3"]);
});

test("a person's event never overtakes what waits", () => {
  playback.push(update(1, 1));
  playback.push(update(2, 1));
  playback.push(update(3, 0));
  tick();
  tick();
  expect(shown).toEqual(["v1", "v2", "v3"]);
});

test("skipping shows the rest now, and the next update is not held back by the old pause", () => {
  playback.push(update(1, 1, [0, 1, 2, 3, 4]));
  playback.push(update(2, 1, [0]));
  playback.push(update(3, 1));
  playback.skip();
  expect(shown).toEqual(["v1", "v2", "v3"]);
  playback.push(update(4, 1));
  expect(shown.at(-1)).toBe("v4");
});

test("cleared updates are never shown", () => {
  playback.push(update(1, 1));
  playback.push(update(2, 1));
  playback.clear();
  tick();
  expect(shown).toEqual(["v1"]);
});
