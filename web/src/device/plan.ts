/** What this device means to do at a table as soon as it is there; forgotten with the browser tab. */
export interface Plan {
  start?: boolean; // begin at once: nobody else is to come
  sit?: string; // sit down by this name, as at the game before
  seat?: number;
}

const place = (table: string) => `knobel.plan.${table}`;
const plans = new Map<string, Plan>();

export function planFor(table: string, plan: Plan | null): void {
  if (plan) plans.set(table, plan);
  else plans.delete(table);
  try {
    if (plan) sessionStorage.setItem(place(table), JSON.stringify(plan));
    else sessionStorage.removeItem(place(table));
  } catch {
    // it holds until the page is loaded anew
  }
}

export function plannedFor(table: string): Plan | null {
  try {
    return plans.get(table) ?? (JSON.parse(sessionStorage.getItem(place(table)) ?? "null") as Plan | null);
  } catch {
    return plans.get(table) ?? null;
  }
}
