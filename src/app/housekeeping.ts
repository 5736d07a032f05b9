import { checkStoredFiles } from '../modules/documents/attachment/lib/check-stored-files.ts';
import { sweepImages } from '../modules/documents/attachment/lib/image-rows.ts';
import { queueOverdueMailings, queueTracking, sweepNotices } from '../modules/documents/delivery/lib/sweep.ts';
import { sweepUploads } from '../modules/documents/attachment/lib/sweep-uploads.ts';
import { removeNotedFiles } from '../modules/documents/attachment/lib/transfer/remove-file.ts';
import { queueUnsealedVersions } from '../modules/documents/attachment/lib/transfer/seal-versions.ts';
import { sweepStoredFiles } from '../modules/documents/attachment/lib/sweep-stored-files.ts';
import { sweepRenditions } from '../modules/documents/attachment/lib/convert/sweep-renditions.ts';
import { queueTexts, retryRecognition } from '../modules/documents/attachment/lib/text/read-texts.ts';
import { queueOpenMethods, queueOpenSubscriptions, queueSettling } from '../modules/ledgers/lib/payments/sweep.ts';
import { indexMessageTexts } from '../modules/messages/lib/reading/index-texts.ts';
import { queueScans } from '../modules/documents/attachment/lib/scan/scan-documents.ts';
import { failInterruptedImports } from '../modules/imports/import/lib/interrupted-runs.ts';
import { requeueAbandonedImports } from '../modules/imports/importfile/lib/abandoned-imports.ts';
import { sweepBatchRows, sweepCorrections, sweepImportLog } from '../modules/imports/lib/sweep-import-log.ts';
import { stagingTableDays } from '../modules/imports/importfile/settings.ts';
import { sampleQueues } from '../modules/system/queue/lib/queue-samples.ts';
import { checkCertificates } from '../modules/system/system/lib/check-certificates.ts';
import { checkPublicAddress } from '../modules/system/system/lib/check-public-address.ts';
import { maintainSearchIndexes } from '../modules/system/system/lib/maintain-search-indexes.ts';
import { maintainCustomFieldIndexes } from '../modules/records/customfield/lib/indexes.ts';
import { maintainWordIndexes } from '../modules/records/record/lib/maintain-word-indexes.ts';
import { requeueStalledSteps } from '../modules/work/decisionstep/lib/stalled-steps.ts';
import { queueExpiredClaims } from '../modules/work/smartworklistmember/lib/queue-release.ts';
import {
  sweepMailContents,
  sweepMailDeliveries,
  queueOverdueMails,
} from '../modules/messages/maildelivery/lib/sweep.ts';
import { sweepExpiredRegistrations } from '../modules/contacts/organization/lib/sweep-registrations.ts';
import { sweepUsageCounts } from '../modules/access/lib/sweep-usage-counts.ts';
import { sweepSecurityLog } from '../modules/access/securitylog/lib/sweep.ts';
import { sweepSessions } from '../modules/access/session/lib/sweep.ts';
import { sweepNotifications } from '../modules/console/notification/lib/notifier.ts';
import { sweepWebhookDeliveries, queueOverdueWebhooks } from '../modules/integrations/webhookdelivery/lib/sweep.ts';
import { queueReconciliations } from '../modules/ledgers/lib/payments/reconcile/nightly.ts';
import { sweepStagingTables } from '../providers/import-engine/bulk/sweep-staging-tables.ts';
import { sweepRuleTraces } from '../modules/records/any/lib/rule-set/sweep-rule-traces.ts';
import { indexPartitions } from '../kernel/records/history/history-partitions.ts';
import { queueCaseSummaries } from '../modules/console/casesummary/lib/refresh-summaries.ts';
import { createJobIndexes, releaseCalls } from '../surfaces/shared/pgboss-sql.ts';
import type { Db } from '../kernel/database/store.ts';
import { certificateServers } from './certificate-servers.ts';
import { tasks, type Task } from '../surfaces/scheduler/housekeeping.ts';

/** The scheduler's tasks: the platform's own and those of modules. */
export const housekeeping: readonly Task[] = [
  ...tasks,
  queueCaseSummaries,
  queueTexts,
  indexMessageTexts,
  retryRecognition,
  queueScans,
  sweepUsageCounts,
  sweepSecurityLog,
  sweepImportLog,
  sweepBatchRows,
  sweepCorrections,
  failInterruptedImports,
  requeueAbandonedImports,
  sweepStoredFiles,
  removeNotedFiles,
  queueUnsealedVersions,
  sweepUploads,
  sweepImages,
  sweepRenditions,
  checkStoredFiles,
  sweepSessions,
  sweepNotifications,
  sweepWebhookDeliveries,
  queueOverdueWebhooks,
  sweepMailDeliveries,
  sweepMailContents,
  sweepRuleTraces,
  queueOverdueMails,
  queueOverdueMailings,
  queueTracking,
  sweepNotices,
  queueSettling,
  queueOpenMethods,
  sweepExpiredRegistrations,
  requeueStalledSteps,
  queueExpiredClaims,
  queueReconciliations,
  queueOpenSubscriptions,
  sampleQueues,
  { name: 'calls of resumed operations', everyMinutes: 1, run: ({ store }) => releaseAllCalls(store) },
  sweepStagingTables(stagingTableDays),
];

/** Calls of resumed operations that are released in one statement. */
const RELEASED_MAX = 10_000;

/** Releases all calls whose operation is not paused any more, where there were too many for the resuming call. */
async function releaseAllCalls(store: Db): Promise<number> {
  for (let total = 0; ;) {
    const released = await releaseCalls(store, RELEASED_MAX);
    total += released;
    if (released < RELEASED_MAX) return total;
  }
}

/**
 * Tasks that create indexes or wait for other servers. This can take minutes, so they have their own scheduler and no
 * other task waits for them.
 */
export const slowTasks: readonly Task[] = [
  maintainCustomFieldIndexes,
  maintainSearchIndexes,
  maintainWordIndexes,
  { name: 'indexes of queued calls', everyMinutes: 60, run: ({ store }) => createJobIndexes(store) },
  { name: 'history index', everyMinutes: 60, run: indexPartitions },
  checkCertificates(certificateServers),
  checkPublicAddress,
];
