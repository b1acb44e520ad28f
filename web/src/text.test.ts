import { expect, test } from "vitest";
import de from "$texts/de.ftl?raw";
import en from "$texts/en.ftl?raw";
import { languages, pickLanguage, texts } from "./text";

/** All keys of a catalog with their attributes, and the parameters that each needs. */
function keys(catalog: string): string[] {
  const found: string[] = [];
  let message = "";
  for (const line of catalog.split("\n")) {
    const [, name] = /^([a-z][\w-]*) =/.exec(line) ?? [];
    const [, attribute] = /^ +\.(\w+) =/.exec(line) ?? [];
    if (name) found.push((message = name));
    if (attribute) found.push(`${message}.${attribute}`);
  }
  return found.sort();
}

function params(catalog: string): Map<string, string> {
  const found = new Map<string, Set<string>>();
  let message = "";
  for (const line of catalog.split("\n")) {
    message = /^([a-z][\w-]*) =/.exec(line)?.[1] ?? message;
    for (const [, name] of line.matchAll(/\$(\w+)/g)) found.set(message, (found.get(message) ?? new Set()).add(name ?? ""));
  }
  return new Map([...found].map(([key, names]) => [key, [...names].sort().join(" ")]));
}

test("the first known language wins, German is the default", () => {
  expect(pickLanguage(["fr-FR", "en-GB", "de"])).toBe("en");
  expect(pickLanguage(["fr"])).toBe("de");
});

test("both catalogs have the same keys, attributes and parameters, each key once", () => {
  expect(keys(en)).toEqual(keys(de));
  expect(new Set(keys(de)).size).toBe(keys(de).length);
  expect(params(en)).toEqual(params(de));
});

test("every key can be said in every language", () => {
  for (const language of languages) {
    const { say, has } = texts(language);
    for (const key of keys(de)) {
      expect(has(key), `${language} ${key}`).toBe(true);
      const values = Object.fromEntries((params(de).get(key.split(".")[0] ?? "") ?? "").split(" ").map((name) => [name, 2]));
      expect(say(key, values), key).not.toMatch(/\{\$?\w+\}/);
    }
  }
});

test("every key that the code names is there", () => {
  const files = import.meta.glob<string>(["./**/*.svelte", "./**/*.ts", "!./**/*.test.ts"], {
    query: "?raw",
    import: "default",
    eager: true,
  });
  const named = Object.values(files).flatMap((code) => [...code.matchAll(/"(ui-[\w-]+)"/g)].map(([, key]) => key ?? ""));
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((key) => !texts("de").has(key))).toEqual([]);
});

test("a missing key is an error that names it", () => {
  expect(() => texts("de").say("no-such-key")).toThrow("no-such-key");
  expect(texts("de").has("no-such-key")).toBe(false);
});

test("plurals follow the number", () => {
  const { say } = texts("de");
  expect(say("ui-box-free", { box: "Chance", points: 1 })).toBe("Chance: 1 Punkt");
  expect(say("ui-box-free", { box: "Chance", points: 0 })).toBe("Chance: 0 Punkte");
  expect(texts("en").say("ui-throws-left", { left: 1 })).toBe("one throw left");
  expect(texts("en").say("ui-throws-left", { left: 0 })).toBe("no throw left");
  expect(say("ui-winners", { names: "Anna und Mia", count: 2 })).toBe("Anna und Mia: beide Erste");
});
