import { f, required } from '../../../../../kernel/declare/field.ts';

/** Most documents of one call. */
const DOCUMENTS_MAX = 1_000;

/** The parameters that name what is held or released, and why. */
export const holdParameters = {
  ID: f.idList({ doc: 'The documents.', max: DOCUMENTS_MAX }),
  Object: f.text({ doc: 'Foreclosure or Bankruptcy: all documents of the case, also those added later.', max: 60 }),
  ObjectID: f.id({ doc: 'The case.' }),
  Reason: required(f.body({ doc: 'Why.' })),
};

/** The records that a call names. */
export const holdNames = ['ID', { object: 'Object', id: 'ObjectID' }] as const;

/** Answer row of each record. */
export const holdRows = {
  LegalHoldID: required(f.id({ doc: 'The hold.', to: 'LegalHold' })),
  Object: required(f.text({ doc: 'Attachment, or the class of the case.' })),
  ObjectID: required(f.id({ doc: 'The document or case.' })),
};
