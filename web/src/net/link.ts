/** The one socket of a table page: says hello, comes back after a loss, and sends a command again until it is answered. */
import type { Command, Hello, Problem, ReplyMessage, TableMessage, UpdateMessage } from "../wire";

export const protocol = 1;
export type ServerMessage = TableMessage | UpdateMessage | ReplyMessage;
export type LinkState =
  | { kind: "connecting" }
  | { kind: "open" }
  | { kind: "waiting"; until: number } // for the next attempt, in milliseconds of the port's clock
  | { kind: "over"; why: "protocol" }
  | { kind: "over"; why: "table"; problem: Problem };

export interface Listener {
  opened: () => void;
  said: (text: string) => void;
  closed: () => void;
}

/** What the link needs of a WebSocket. */
export interface Socket {
  send: (text: string) => void;
  close: () => void;
}

export interface Port {
  open: (listener: Listener) => Socket;
  /** What is wrong with the table for good? Asked after a socket that never answered; null: nothing known. */
  trouble: () => Promise<Problem | null>;
  later: (milliseconds: number, run: () => void) => () => void;
  now: () => number;
  random: () => number;
  message: (message: ServerMessage) => void;
  state: (state: LinkState) => void;
}

const patience = 10_000; // without an answer the socket counts as dead
const longest = 15_000;

/** Wait before attempt `n` (from 0): doubling, half of it by chance, so that many browsers do not come back at once. */
export function backoff(attempt: number, random: number): number {
  const full = Math.min(longest, 500 * 2 ** attempt);
  return full / 2 + (full / 2) * random;
}

export class Link {
  #socket: Socket | null = null;
  #version: number | null = null; // the last one seen
  #command: Command | null = null; // not yet answered
  #attempt = 0;
  #isAnswered = false;
  #cancel: (() => void) | null = null; // of the only timer
  #isOver = false;

  constructor(private readonly port: Port) {}

  start(): void {
    this.#connect();
  }

  /** For good. */
  stop(): void {
    this.#isOver = true;
    this.#drop();
  }

  /** Do not wait any longer; while connected, nothing happens. */
  retry(): void {
    if (this.#socket || this.#isOver) return;
    this.#connect();
  }

  /** Send a command now or as soon as there is a connection, and again after each loss until it is answered. */
  send(command: Command): void {
    this.#command = command;
    if (this.#isAnswered) this.#sendCommand();
  }

  #connect(): void {
    this.#drop();
    this.port.state({ kind: "connecting" });
    // what an abandoned socket still says is nobody's business
    const ifCurrent = (run: () => void) => {
      if (this.#socket === socket) run();
    };
    const hello: Hello = { type: "hello", protocol, since: this.#version };
    const socket = this.port.open({
      opened: () => ifCurrent(() => socket.send(JSON.stringify(hello))),
      said: (text) => ifCurrent(() => this.#receive(text)),
      closed: () => ifCurrent(() => void this.#lost()),
    });
    this.#socket = socket;
    this.#timer(patience, () => void this.#lost());
  }

  #receive(data: string): void {
    let message: ServerMessage;
    try {
      message = JSON.parse(data) as ServerMessage;
    } catch {
      void this.#lost();
      return;
    }
    const isForeign = message.type === "reply" && message.problem?.code === "message/protocol";
    if (isForeign || (message.type === "table" && message.protocol !== protocol)) {
      this.#end({ kind: "over", why: "protocol" });
      return;
    }
    if (message.type === "reply") {
      if (message.id === this.#command?.id) {
        this.#command = null;
        this.#timer(null);
      }
    } else {
      this.#version = message.live.version;
    }
    this.port.message(message);
    if (!this.#isAnswered && message.type !== "reply") {
      this.#isAnswered = true;
      this.#attempt = 0;
      this.#timer(null);
      this.port.state({ kind: "open" });
      if (this.#command) this.#sendCommand();
    }
  }

  #sendCommand(): void {
    this.#socket?.send(JSON.stringify(this.#command));
    this.#timer(patience, () => void this.#lost());
  }

  async #lost(): Promise<void> {
    const wasAnswered = this.#isAnswered;
    this.#drop();
    if (this.#isOver) return;
    const wait = backoff(this.#attempt++, this.port.random());
    this.port.state({ kind: "waiting", until: this.port.now() + wait });
    this.#timer(wait, () => this.#connect());
    if (wasAnswered) return;
    const problem = await this.port.trouble();
    if (problem && !this.#isOver) this.#end({ kind: "over", why: "table", problem });
  }

  #end(state: LinkState): void {
    this.stop();
    this.port.state(state);
  }

  /** Let go of the socket and the timer. */
  #drop(): void {
    this.#timer(null);
    this.#isAnswered = false;
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #timer(milliseconds: number | null, run: () => void = () => undefined): void {
    this.#cancel?.();
    this.#cancel = milliseconds === null ? null : this.port.later(milliseconds, run);
  }
}
