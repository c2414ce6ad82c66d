// Servers at several widths: in which order they stand, which are drawn, and what the law says between the widths.
import { chosenLines } from './chosen-lines';
import type { ScalingCurve, ScalingLaw } from './types';

/** The widths of these curves, ascending. */
export const widthsOf = (curves: ScalingCurve[]): number[] =>
  [...new Set(curves.flatMap(({ points }) => points.map(({ workers }) => workers)))].sort((a, b) => a - b);

/** The widest width at which some server has a speed-up with a core for each worker; `null` where none has. */
export function widestOf(curves: ScalingCurve[]): number | null {
  const widths = curves.flatMap(({ points }) =>
    points.flatMap(({ workers, own_cores, speed_up }) => (own_cores && speed_up !== null ? [workers] : [])),
  );
  return widths.length === 0 ? null : Math.max(...widths);
}

const speedUpAt = ({ points }: ScalingCurve, width: number | null): number =>
  points.find(({ workers }) => workers === width)?.speed_up?.estimate ?? 0;

/** The reference, then the servers by their speed-up at the widest width, then the ceiling. Proven is none of it. */
export function inOrder(curves: ScalingCurve[]): ScalingCurve[] {
  const widest = widestOf(curves);
  const role = ({ subject }: ScalingCurve) => ['reference', 'framework', 'ceiling'].indexOf(subject.role);
  return [...curves].sort((a, b) => role(a) - role(b) || speedUpAt(b, widest) - speedUpAt(a, widest));
}

/** Whether it has a speed-up to draw. */
export const isDrawn = ({ points }: ScalingCurve): boolean => points.some(({ speed_up }) => speed_up !== null);

/** The keys that the address names, or else the reference and the first few that have a speed-up. */
export function chosenOf(named: string | null, curves: ScalingCurve[]): string[] {
  const drawn = new Set(curves.filter(isDrawn).map(({ subject }) => subject.key));
  return chosenLines(
    named,
    curves.map(({ subject }) => subject),
    ({ key }) => drawn.has(key),
  );
}

/** The speed-up of so many workers by the Universal Scalability Law. */
export const speedUpBy = ({ contention, coherency }: ScalingLaw, workers: number): number =>
  workers / (1 + contention.estimate * (workers - 1) + (coherency?.estimate ?? 0) * workers * (workers - 1));
