// The views that fewer readers come for, in one file of their own.
export * as breaks from '../views/breaks';
export * as method from '../views/method';
export * as protocols from '../views/protocols';
export * as run from '../views/run';
export * as scaling from '../views/scaling';
export * as trends from '../views/trends';
export * as variants from '../views/variants';
