import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  access: {
    person: 'Work items are chosen, counted and assigned by user, in the same queries as the items.',
  },
  contacts: {
    collection: 'Teams are collections of users; the next work item is chosen by team in one query.',
    collectionmember: 'A user gets the work items of the teams in which they are a member today.',
  },
  kernel: {
    history: 'Reactivated steps get back their statuses; a closed case is compared with its closing date before.',
  },
} as const satisfies TableReads;
