/** The mail that both sides send: some 500 characters. */
export const SUBJECT = 'Notice of hearing';
const SENTENCE = 'The hearing has been scheduled. Please see the case for the date and the documents. ';
export const BODY = `${SENTENCE.repeat(6)}\n`;

/** The connections that both sides have. */
export const CONNECTIONS = 10;
