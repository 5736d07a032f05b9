import type { TreeNode } from '../../../kernel/door/answer.ts';

/** Example of ImportResults for the reference: one new case, saved. */
export const resultsExample: TreeNode = {
  name: 'ImportResults',
  attributes: {
    ID: 1,
    SuccessCount: 1,
    WarningCount: 0,
    ErrorCount: 0,
    Status: 'Complete',
    ImportStart: '2026-01-15T14:30:00Z',
    ImportComplete: '2026-01-15T14:30:01Z',
    Reference: 'SAMPLE-1',
  },
  children: [
    {
      name: 'Result',
      attributes: { ID: 1, Reference: 'SAMPLE-1' },
      children: [
        { name: 'Object', value: 'Foreclosure' },
        { name: 'ObjectID', value: 1 },
        { name: 'Operation', value: 'Insert' },
        { name: 'Status', value: 'Success' },
      ],
    },
  ],
  list: true,
};
