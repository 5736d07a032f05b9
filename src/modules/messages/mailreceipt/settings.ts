import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const receivedMailMegabytesMax = defineSetting(
  'ReceivedMailMegabytesMax',
  f.integer({ doc: 'The largest mail that is read, in megabytes; a larger one is set aside with its source.' }),
  64,
  { range: [1, 500] },
);
export const subjectLength = defineSetting(
  'SubjectLength',
  f.integer({
    doc:
      'A message is found again by its subject in that of another (message/bindbyparentmessage) only if it has more ' +
      'characters than this.',
  }),
  30,
  { range: [5, 1000] },
);

export const settings = [receivedMailMegabytesMax, subjectLength] as const;
