import { f, required } from '../../../../kernel/declare/field.ts';
import type { Parsed } from '../../../../kernel/declare/field-types.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { dollars } from './batch-rows.ts';
import type { PlannedLetter } from './planned-letters.ts';
import type { Recipient } from './recipients.ts';

/** Columns of a prepared letter. */
export const letterRows = {
  DeliveryBatchID: f.id({ doc: 'The mailing; empty in a preview.', to: 'DeliveryBatch' }),
  DeliveryID: f.id({ doc: 'The letter; empty in a preview, and if it is left out.', to: 'Delivery' }),
  Delivery: required(f.text({ doc: 'What is mailed.' })),
  Object: required(f.text({ doc: 'The record type that the letter is about.' })),
  ObjectID: required(f.id({ doc: 'The record that it is about.' })),
  AttachmentID: f.id({ doc: 'The document; empty if it is still to be generated.', to: 'Attachment' }),
  ContactID: f.id({ doc: 'The recipient.', to: 'Contact' }),
  RecipientName: f.personal({ doc: 'The name on the letter.' }),
  Street: f.personal({ doc: 'The street address.' }),
  City: f.personal({ doc: 'The city.' }),
  State: f.text({ doc: 'The state.' }),
  PostalCode: f.personal({ doc: 'The ZIP code.' }),
  Pages: f.integer({ doc: 'Pages of the document.' }),
  Sheets: f.integer({ doc: 'Sheets of paper.' }),
  Cost: f.money({ doc: 'The estimated cost.' }),
  Status: f.text({ doc: 'The state of the letter; empty in a preview.' }),
  Problem: f.personal({ doc: 'Why it cannot be mailed; empty if it can.' }),
};

type LetterRow = Readonly<Parsed<typeof letterRows>>;

/** Returns a letter that is not stored. */
export function plannedRow(letter: PlannedLetter): LetterRow {
  const { label, subject, document, pages, quote, problem } = letter;
  return {
    DeliveryBatchID: null,
    DeliveryID: null,
    Delivery: label,
    Object: subject.object,
    ObjectID: subject.id,
    AttachmentID: document?.id ?? null,
    ...addressRow(letter.recipient),
    Pages: pages ?? null,
    Sheets: quote?.sheets ?? null,
    Cost: dollars(quote?.costCents),
    Status: null,
    Problem: problem ?? null,
  };
}

function addressRow(recipient: Recipient | undefined) {
  const { street = null, city = null, state = null, postalCode = null } = recipient?.address ?? {};
  return {
    ContactID: recipient?.contactId ?? null,
    RecipientName: recipient?.name ?? null,
    Street: street,
    City: city,
    State: state,
    PostalCode: postalCode,
  };
}

/** Returns the letters of a mailing. */
export function storedRows(db: Db, batchId: number): Promise<LetterRow[]> {
  return db.query<LetterRow>(
    `select deliverybatchid as "DeliveryBatchID", deliveryid as "DeliveryID", delivery as "Delivery",
       object as "Object", objectid as "ObjectID", attachmentid as "AttachmentID", contactid as "ContactID",
       recipientname as "RecipientName", street as "Street", city as "City", state as "State",
       postalcode as "PostalCode", pages as "Pages", sheets as "Sheets", cost::text as "Cost", status as "Status",
       case when status = 'Failed' then reason end as "Problem"
     from delivery where deliverybatchid = $1::bigint order by deliveryid`,
    [batchId],
  );
}
