import { beforeEach, expect, test } from "vitest";
import type { Command, Problem, TableMessage, UpdateMessage } from "../wire";
import { backoff, Link, type LinkState, type Listener, type ServerMessage, type Socket } from "./link";

class FakeSocket implements Socket {
  sent: unknown[] = [];
  isClosed = false;
  constructor(readonly listener: Listener) {}
  send = (text: string) => this.sent.push(JSON.parse(text));
  close = () => (this.isClosed = true);
  gives = (message: object) => this.listener.said(JSON.stringify(message));
}

const table = (version: number) => ({ type: "table", protocol: 1, live: { version } }) as TableMessage;
const update = (version: number) => ({ type: "update", events: [], live: { version } }) as unknown as UpdateMessage;
const command: Command = { type: "command", id: "a-command", version: 3, seat: 0, move: { do: "throw", keep: [1] } };

let sockets: FakeSocket[];
let timers: { milliseconds: number; run: () => void }[];
let messages: ServerMessage[];
let states: LinkState[];
let trouble: Problem | null;
let link: Link;

const last = () => sockets.at(-1) as FakeSocket;

function elapse() {
  const [timer] = timers.splice(0, 1);
  timer?.run();
}

function connect(version: number) {
  last().listener.opened();
  last().gives(table(version));
}

beforeEach(() => {
  sockets = [];
  timers = [];
  messages = [];
  states = [];
  trouble = null;
  link = new Link({
    open: (listener) => {
      sockets.push(new FakeSocket(listener));
      return last();
    },
    trouble: () => Promise.resolve(trouble),
    later: (milliseconds, run) => {
      const timer = { milliseconds, run };
      timers.push(timer);
      return () => (timers = timers.filter((other) => other !== timer));
    },
    now: () => 0,
    random: () => 0.5,
    message: (message) => messages.push(message),
    state: (state) => states.push(state),
  });
  link.start();
});

test("after a loss the hello names the last version seen, and there is never a second socket", () => {
  connect(3);
  last().gives(update(4));
  expect(last().sent).toEqual([{ type: "hello", protocol: 1, since: null }]);
  last().listener.closed();
  link.retry();
  link.retry();
  expect(sockets).toHaveLength(2);
  last().listener.opened();
  expect(last().sent).toEqual([{ type: "hello", protocol: 1, since: 4 }]);
  expect(sockets[0]?.isClosed).toBe(true);
});

test("an unanswered command goes out again under the same id, after the state is known; an answered one does not", () => {
  connect(3);
  link.send(command);
  last().listener.closed();
  elapse();
  last().listener.opened();
  expect(last().sent).toHaveLength(1);
  last().gives(update(4));
  expect(last().sent.at(-1)).toEqual(command);
  last().gives({ type: "reply", id: command.id, ok: true, version: 4, problem: null });
  last().listener.closed();
  elapse();
  connect(4);
  expect(last().sent).toHaveLength(1);
});

test("a socket that swallows a command is given up and replaced", () => {
  connect(3);
  link.send(command);
  elapse();
  expect(states.at(-1)?.kind).toBe("waiting");
  elapse();
  connect(3);
  expect(last().sent.at(-1)).toEqual(command);
});

test("it tries for ever, ever slower but not too slow, and starts anew after success", () => {
  const waits: number[] = [];
  for (let n = 0; n < 12; n++) {
    last().listener.closed();
    waits.push(timers[0]?.milliseconds ?? NaN);
    elapse();
  }
  expect(waits.slice(0, 3)).toEqual([375, 750, 1500]);
  expect(Math.max(...waits)).toBeLessThanOrEqual(15_000);
  expect(sockets).toHaveLength(13);
  connect(1);
  last().listener.closed();
  expect(timers[0]?.milliseconds).toBe(375);
  expect(backoff(3, 0)).not.toBe(backoff(3, 0.9));
});

test("an unknown table ends it, and says so", async () => {
  trouble = { code: "table/unknown", key: "ui-problem", params: {} };
  last().listener.closed();
  await Promise.resolve();
  expect(states.at(-1)).toEqual({ kind: "over", why: "table", problem: trouble });
  link.retry();
  expect(sockets).toHaveLength(1);
  expect(timers).toEqual([]);
});

test("a message of another protocol is not shown", () => {
  last().listener.opened();
  last().gives({ ...table(1), protocol: 2 });
  expect(states.at(-1)).toEqual({ kind: "over", why: "protocol" });
  expect(messages).toEqual([]);
});

test("a server that refuses this protocol is not asked again and again", () => {
  last().listener.opened();
  const problem: Problem = { code: "message/protocol", key: "server-protocol", params: {} };
  last().gives({ type: "reply", id: null, ok: false, version: 0, problem });
  expect(states.at(-1)).toEqual({ kind: "over", why: "protocol" });
  expect(timers).toEqual([]);
});
