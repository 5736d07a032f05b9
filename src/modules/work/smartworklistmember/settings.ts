import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

/** Whether `next` gives items whose task cannot be completed because of a hold. */
export const nextGivesHeldItems = defineSetting(
  'SmartWorklistNextGivesHeldItems',
  f.boolean({
    doc:
      'Whether `next` also gives work items whose task cannot be completed because its workflow is on hold. ' +
      'Otherwise they come up when the hold ends.',
  }),
  false,
);

/** How long a claimed item stays with its user without a sign of work. */
export const claimMinutes = defineSetting(
  'SmartWorklistClaimMinutes',
  f.integer({
    doc:
      'Minutes without activity after which a claimed work item is released, so that others may take it. Answers ' +
      'that were entered stay.',
  }),
  10,
  { range: [1, 1_440] },
);

export const settings = [nextGivesHeldItems, claimMinutes];
