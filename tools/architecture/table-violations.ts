/**
 * SQL that reads or writes the tables of other owners without being allowed to: by file, the number of its texts that
 * do so. The list may only shrink: the check refuses more, and it refuses an entry that is not true any more.
 */
import type { TableViolations } from './tables.ts';

export const tableViolations: TableViolations = {
  'src/app/backup/documents.ts': {
    'reads attachment': 3,
    'reads history': 1,
  },
  'src/app/first-start.ts': {
    'reads person': 2,
    'writes role': 1,
    'writes person': 2,
    'writes apikey': 1,
  },
  'src/app/rotation/rotate.ts': {
    'writes securitylog': 1,
  },
  'src/kernel/ports/error-entry.ts': {
    'writes errorlog': 1,
  },
  'src/kernel/records/save/external-id.ts': {
    'reads objectsubscription': 1,
    'writes objectsubscription': 1,
  },
  'src/kernel/records/search/links.ts': {
    'reads objectlink': 1,
    'writes objectsubscription': 2,
    'writes objectlink': 1,
  },
  'src/kernel/records/transfer/transfer-identifiers.ts': {
    'writes objectsubscription': 1,
    'reads objectsubscription': 1,
  },
  'src/kernel/records/transfer/transfer-match.ts': {
    'reads objectsubscription': 1,
  },
  'src/kernel/security/system-user.ts': {
    'reads person': 1,
  },
  'src/kernel/time/business-calendar.ts': {
    'reads holiday': 1,
  },
  'src/modules/cases/process/process.record.ts': {
    'reads importform': 1,
    'reads ledger': 1,
  },
  'src/modules/contacts/organization/expireregistrations.ts': {
    'reads person': 2,
  },
  'src/modules/contacts/organization/lib/confirm-registration.ts': {
    'reads person': 1,
    'writes person': 1,
  },
  'src/modules/contacts/organization/lib/enroll-registration.ts': {
    'reads person': 1,
    'reads role': 1,
  },
  'src/modules/contacts/organization/lib/registration-mails.ts': {
    'reads person': 1,
  },
  'src/modules/contacts/organization/reactions.ts': {
    'reads setting': 1,
    'reads role': 1,
  },
  'src/modules/documents/attachment/lib/sweep-stored-files.ts': {
    'reads history': 1,
  },
  'src/modules/imports/import/lib/find-case.ts': {
    'reads objectsubscription': 1,
    'reads process': 2,
    'reads loan': 1,
  },
  'src/modules/imports/import/lib/import-ledger.ts': {
    'reads ledger': 1,
    'reads ledgertemplateitem': 1,
    'reads ledgeritem': 1,
  },
  'src/modules/imports/import/lib/import-loan.ts': {
    'writes loan': 1,
    'reads loan': 3,
    'reads contact': 2,
    'reads publicrecord': 1,
    'reads property': 1,
  },
  'src/modules/imports/import/lib/import-nested.ts': {
    'reads message': 1,
    'reads attachment': 1,
  },
  'src/modules/imports/importfile/lib/end-run.ts': {
    'reads decisionstep': 1,
  },
  'src/modules/imports/importfile/lib/progress.ts': {
    'reads attachment': 1,
  },
  'src/modules/imports/importfile/reactions.ts': {
    'reads attachment': 1,
  },
  'src/modules/imports/importfilequeue/lib/requeue.ts': {
    'reads person': 3,
  },
  'src/modules/imports/lib/events/file/event-codes.ts': {
    'reads eventcode': 1,
    'reads importformtemplate': 1,
  },
  'src/modules/imports/lib/events/write/cases.ts': {
    'reads organization': 1,
    'reads loan': 2,
    'reads process': 2,
    'reads bankruptcy': 1,
    'writes process': 1,
    'writes foreclosure': 1,
    'writes bankruptcy': 1,
  },
  'src/modules/imports/lib/events/write/delays.ts': {
    'reads decisiondelay': 1,
    'reads decisiondelaytemplate': 1,
    'writes decisiondelay': 2,
  },
  'src/modules/imports/lib/events/write/statuses.ts': {
    'reads process': 1,
    'reads decision': 1,
    'writes process': 2,
  },
  'src/modules/imports/lib/events/write/tasks.ts': {
    'reads importform': 2,
    'reads decisionstep': 1,
    'writes importform': 2,
  },
  'src/modules/imports/lib/events/write/write-piece.ts': {
    'writes event': 1,
  },
  'src/modules/imports/sftpaccount/lib/stored-accounts.ts': {
    'reads attachment': 1,
  },
  'src/modules/rules/businessrule/lib/stylesheet-document.ts': {
    'reads attachment': 1,
  },
  'src/modules/rules/matrix/lib/restore-parts.ts': {
    'reads history': 2,
    'writes history': 1,
    'writes part': 1,
  },
  'src/modules/rules/score/lib/render.ts': {
    'reads attachment': 1,
  },
  'src/modules/system/system/lib/health-checks.ts': {
    'reads securitylog': 1,
  },
  'src/modules/work/decision/lib/lifecycle/close-case.ts': {
    'reads history': 1,
    'reads process': 2,
  },
  'src/modules/work/decision/lib/lifecycle/reactivate-decision.ts': {
    'reads history': 1,
  },
  'src/modules/work/decision/lib/pass/ended-batches.ts': {
    'reads importfile': 1,
  },
  'src/modules/work/decision/lib/pass/queue-step.ts': {
    'reads schedule': 1,
  },
  'src/modules/work/importform/lib/answer-persons.ts': {
    'reads person': 1,
  },
  'src/modules/work/importform/lib/check-form.ts': {
    'reads role': 1,
  },
  'src/modules/work/importform/reactions.ts': {
    'reads collection': 1,
  },
  'src/modules/work/smartworklist/counts.ts': {
    'reads collection': 1,
    'reads person': 1,
  },
  'src/modules/work/smartworklistmember/explain.ts': {
    'reads collectionmember': 2,
    'reads collection': 2,
  },
  'src/modules/work/smartworklistmember/lib/eligible-items.ts': {
    'reads collectionmember': 1,
    'reads collection': 1,
  },
  'src/modules/work/smartworklistmember/lib/follow-form.ts': {
    'reads person': 1,
  },
  'src/modules/work/smartworklistmember/lib/pick-item.ts': {
    'reads collectionmember': 2,
    'reads collection': 2,
  },
  'src/modules/work/smartworklistmember/lib/teams.ts': {
    'reads collectionmember': 2,
    'reads collection': 4,
    'reads person': 2,
  },
  'src/providers/import-engine/batch-reader/batch-reader.ts': {
    'reads importfile': 2,
  },
  'src/providers/import-engine/bulk/staging-table.ts': {
    'reads importfile': 1,
  },
  'src/providers/import-engine/bulk/sweep-staging-tables.ts': {
    'reads importfile': 1,
  },
  'src/providers/military-source/local-table/local-table.ts': {
    'reads militaryservice': 3,
  },
  'src/surfaces/scheduler/delete-by-age.ts': {
    'writes table': 1,
  },
  'src/surfaces/scheduler/history-partitions.ts': {
    'reads history_default': 1,
    'writes history_default': 1,
    'writes historyknown': 1,
  },
};
