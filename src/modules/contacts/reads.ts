import type { TableReads } from '../../kernel/declare/table-reads.ts';

export const reads = {
  access: {
    person:
      'A registration looks for the user of its address before anybody is signed in, and for the users to notify.',
    role: 'The roles that registering users get are checked and limited before anybody is signed in.',
  },
  system: {
    setting: 'The check of a setting needs the name of the setting that is changed.',
  },
} as const satisfies TableReads;
