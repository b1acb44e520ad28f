/** Shows events that came all at once one after the other: the server is ahead, the eye is not.
 *
 * Only what is shown waits here; the game itself is always the newest message.
 */
import type { Update } from "../net/link";
import type { EventView } from "../wire";

export type Step = { kind: "marks"; event: EventView } | { kind: "state"; update: Update };

export interface Stage {
  show: (step: Step) => void;
  /** How long a step stays before the next one, in milliseconds. */
  pause: (step: Step) => number;
  /** May this update never wait? So it is with what a person on this device does. */
  urgent: (update: Update) => boolean;
  later: (milliseconds: number, run: () => void) => () => void;
}

export class Playback {
  #steps: Step[] = [];
  #cancel: (() => void) | null = null;

  constructor(private readonly stage: Stage) {}

  /** Is something still to be shown? */
  get busy(): boolean {
    return this.#steps.length > 0;
  }

  push(update: Update): void {
    const urgent = this.stage.urgent(update) && !this.busy;
    this.#steps.push(...steps(update, urgent));
    if (urgent) this.#stop();
    if (!this.#cancel) this.#run();
  }

  /** Show all that waits, now; without the marks before a throw. */
  skip(): void {
    this.#stop();
    const waiting = this.#steps;
    this.#steps = [];
    for (const step of waiting) if (step.kind === "state") this.stage.show(step);
  }

  /** Forget all that waits. */
  clear(): void {
    this.#stop();
    this.#steps = [];
  }

  #stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #run(): void {
    for (let step = this.#steps.shift(); step; step = this.#steps.shift()) {
      this.stage.show(step);
      const pause = this.stage.pause(step);
      if (pause > 0) {
        this.#cancel = this.stage.later(pause, () => {
          this.#cancel = null;
          this.#run();
        });
        return;
      }
    }
  }
}

/** Before a throw of some of the dice: which ones. A person has seen that already. */
function steps(update: Update, urgent: boolean): Step[] {
  const state: Step = { kind: "state", update };
  const [event, more] = update.events;
  const isPart = event?.kind === "throw" && event.thrown.length < event.dice.length;
  return isPart && !more && !urgent ? [{ kind: "marks", event }, state] : [state];
}
