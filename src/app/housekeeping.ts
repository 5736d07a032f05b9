import { checkStoredFiles } from '../modules/attachment/lib/check-files.ts';
import { sweepUploads } from '../modules/attachment/lib/sweep-uploads.ts';
import { sweepStoredFiles } from '../modules/attachment/lib/sweep.ts';
import { endCutOffImports } from '../modules/import/lib/cut-off.ts';
import { takeUpImports } from '../modules/importfile/lib/take-up.ts';
import { stagingTableDays } from '../modules/importfile/settings.ts';
import { keepCustomFieldIndexes } from '../modules/customfield/lib/indexes.ts';
import { requeueStalledSteps } from '../modules/decisionstep/lib/stalled.ts';
import { sweepMailDeliveries, wakeMails } from '../modules/maildelivery/lib/sweep.ts';
import { expireRegistrations } from '../modules/organization/lib/sweep.ts';
import { sweepSessions } from '../modules/session/lib/sweep.ts';
import { sweepWebhookDeliveries, wakeWebhooks } from '../modules/webhookdelivery/lib/sweep.ts';
import { sweepStagingTables } from '../providers/import-engine/bulk/sweep.ts';
import { tasks, type Task } from '../surfaces/scheduler/housekeeping.ts';

/** What the scheduler does: the housekeeping of the platform itself, and that of modules. */
export const housekeeping: readonly Task[] = [
  ...tasks,
  endCutOffImports,
  takeUpImports,
  sweepStoredFiles,
  sweepUploads,
  checkStoredFiles,
  sweepSessions,
  sweepWebhookDeliveries,
  wakeWebhooks,
  sweepMailDeliveries,
  wakeMails,
  expireRegistrations,
  keepCustomFieldIndexes,
  requeueStalledSteps,
  sweepStagingTables(stagingTableDays),
];
