/** Who this device is and which tables it plays at: for the switcher and the lists. */
import { me, tables } from "../net/api";
import type { Me, TableLine } from "../wire";

const every = 30_000; // milliseconds between two looks

class Mine {
  me = $state.raw<Me | null>(null);
  lines = $state.raw<TableLine[]>([]);
  #asked = 0;

  get id(): string | null {
    return this.me?.guest?.id ?? null;
  }

  /** Tables that are not over, those that wait for this device first. */
  get open(): TableLine[] {
    const running = this.lines.filter(({ phase }) => phase !== "over" && phase !== "closed");
    return running.toSorted((a, b) => Number(this.waits(b)) - Number(this.waits(a)) || b.updated - a.updated);
  }

  /** Is it this device that must act there? */
  waits(line: TableLine): boolean {
    if (this.id === null || line.phase !== "playing" || line.acting === null) return false;
    const seat = line.seats[line.acting];
    return seat?.guest === this.id && seat.stand_in === null;
  }

  /** Look anew; the answer to an older question is not wanted any more. */
  async look(): Promise<void> {
    const question = ++this.#asked;
    try {
      const known = await me();
      const list = known.guest ? (await tables()).tables : [];
      if (question !== this.#asked) return;
      this.me = known;
      this.lines = list;
    } catch {
      // the page itself says that nothing answers
    }
  }

  /** Look now and, while the page is in sight, again and again; the function that it returns ends it. */
  watch(): () => void {
    const look = () => document.visibilityState === "visible" && void this.look();
    look();
    const clock = setInterval(() => (this.open.length > 0 ? look() : undefined), every);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(clock);
      document.removeEventListener("visibilitychange", look);
    };
  }
}

export const mine = new Mine();
