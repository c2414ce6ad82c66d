// What is measured when: the schedule that the workflow has, so that the days stand in one place.
import file from '../../../../.github/scripts/schedule.json';

interface Scheduled {
  profile: string;
  /** The next start after a moment, in milliseconds since 1970. A schedule on GitHub can be late. */
  next: (now: number) => number | null;
}

const DAY = 86_400_000;

/** The fields of a cron line that runs once a week: minute, hour, any day, any month, a weekday. */
const WEEKLY = /^(\d{1,2}) (\d{1,2}) \* \* ([0-6])$/;

export function nextOf(cron: string, now: number): number | null {
  const [, minute, hour, weekday] = WEEKLY.exec(cron) ?? [];
  if (minute === undefined || hour === undefined || weekday === undefined) return null;
  const at = new Date(now);
  const today = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), Number(hour), Number(minute));
  const ahead = today + ((Number(weekday) - at.getUTCDay() + 7) % 7) * DAY;
  return ahead > now ? ahead : ahead + 7 * DAY;
}

// A second runner of a lane is measured for two weeks, and is no kind of run.
export const schedule: Scheduled[] = file
  .filter(entry => !('runner' in entry))
  .map(({ cron, profile }) => ({ profile, next: now => nextOf(cron, now) }));
