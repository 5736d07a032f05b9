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

export const settings = [nextGivesHeldItems];
