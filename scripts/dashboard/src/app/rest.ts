// The views that fewer readers come for, in one file of their own.
export * as breaks from '../views/breaks';
export * as method from '../views/method';
export * as news from '../views/news';
export * as ratios from '../views/ratios';
export * as run from '../views/run';
export * as trends from '../views/trends';
