// A choice of two of many, which can be swapped.
import type { Context } from '../app/context';
import { FIRST } from '../data/pair';
import { button, type Option, select } from './controls';
import { controlLine } from './parts';

/** A parameter of the address, and what its control is called. */
type Side = [parameter: string, label: string];

/** Those that the address names, or else those that most people choose between, or else the first; empty where there is none. */
export function pairChoice({ parameter, go }: Context, options: Option[], [a, ofA]: Side, [b, ofB]: Side) {
  const pick = (name: string, not: string | null) => {
    const wanted = [parameter(name), ...FIRST, ...options.map(({ value }) => value)];
    return wanted.find(key => key !== not && options.some(({ value }) => value === key)) ?? '';
  };
  const left = pick(a, null);
  const right = pick(b, left);
  const choose = (left: string, right: string) => go({ [a]: left, [b]: right });
  const controls = controlLine(
    select(a, ofA, options, left, value => choose(value, right)),
    button('swap', '⇄ swap', () => choose(right, left)),
    select(b, ofB, options, right, value => choose(left, value)),
  );
  return { left, right, controls };
}
