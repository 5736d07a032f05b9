/**
 * SQL that reads or writes the tables of other owners without being allowed to: by file, the number of its texts that
 * do so. The list may only shrink: the check refuses more, and it refuses an entry that is not true any more.
 */
import type { TableViolations } from './tables.ts';

export const tableViolations: TableViolations = {
  'src/modules/imports/lib/events/write/cases.ts': {
    'writes process': 1,
    'writes foreclosure': 1,
    'writes bankruptcy': 1,
  },
  'src/modules/imports/lib/events/write/delays.ts': {
    'writes decisiondelay': 2,
  },
  'src/modules/imports/lib/events/write/statuses.ts': {
    'writes process': 2,
  },
  'src/modules/imports/lib/events/write/tasks.ts': {
    'writes importform': 2,
  },
  'src/modules/imports/lib/events/write/write-piece.ts': {
    'writes event': 1,
  },
};
