import type { LetterSubmission, OutboundLetter } from '../../../contracts/delivery.ts';
import { base64 } from '../../../lib/sending/base64.ts';

/**
 * Returns a letter as the JSON document that is posted. The file is read and encoded piece by piece. The document's
 * last byte is a piece of its own, so that a reader that did not reach the end knows that the service has no complete
 * one.
 */
export async function* letterJson(
  { key: submission, name, date }: LetterSubmission,
  { key, to, mailClass, pages, file, hash }: OutboundLetter,
): AsyncGenerator<Uint8Array> {
  const { name: recipient, street, city, state, postalCode: postal_code } = to;
  const head = JSON.stringify({
    key,
    submission,
    mailing: name,
    date,
    to: { name: recipient, street, city, state, postal_code },
    mail_class: mailClass,
    pages,
    file_name: file.fileName,
    sha256: hash,
    content: '',
  });
  yield Buffer.from(head.slice(0, -2));
  yield* base64(file.open());
  yield Buffer.from('"');
  yield Buffer.from('}');
}
