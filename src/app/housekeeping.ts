import { sweepStoredFiles } from '../modules/attachment/lib/sweep.ts';
import { endCutOffImports } from '../modules/import/lib/cut-off.ts';
import { tasks, type Task } from '../surfaces/scheduler/housekeeping.ts';

/** What the scheduler does: the housekeeping of the platform itself, and that of modules. */
export const housekeeping: readonly Task[] = [...tasks, endCutOffImports, sweepStoredFiles];
