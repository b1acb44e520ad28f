/** Names of options and their values: what the rules are called elsewhere, they are called here. */
import { t } from "../device/language.svelte";

const dashed = (id: string) => id.replaceAll("_", "-");

export const optionName = (name: string): string => t(`option-${dashed(name)}`);
export const optionValueName = (name: string, value: string): string => t(`option-${dashed(name)}-${dashed(value)}`);
export const optionValueHelp = (name: string, value: string): string => t(`option-${dashed(name)}-${dashed(value)}.help`);
