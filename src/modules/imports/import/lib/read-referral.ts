import { PlatformError } from '../../../../kernel/door/errors.ts';
import { parseXml, type XmlElement } from '../../../../kernel/xml/element.ts';
import type { SchemaIssue } from '../../../../kernel/xml/schema-issue.ts';
import { liftContent, type LiftedContent } from './lift.ts';
import { crossChecks, schemaFor, type ReferralOperation, type SchemaSettings } from './referral-schemas.ts';

/** A submission as it was read. With issues it is a Validation Error, and nothing of it may be saved. */
export interface ReadReferral<T> {
  /** The document, tokens in the place of attached files; undefined when there are issues. */
  readonly root: XmlElement | undefined;
  /** The same, whatever issues there are; undefined of a malformed document. */
  readonly tree: XmlElement | undefined;
  readonly issues: readonly SchemaIssue[];
  /** The attached files, in order; none when the document is malformed. */
  readonly lifted: readonly LiftedContent<T>[];
}

/**
 * Reads a submission of the referral import while it streams in: attached files go to the sink, what remains is validated against the
 * operation's schema and against the rules beside it. Malformed XML and a DOCTYPE are issues like any other.
 *
 * The sink runs before anything is known of what follows: it keeps its own list of what it stored, to remove it when there are issues or
 * when this throws.
 *
 * @throws TOO_LARGE beyond a limit, and what the sink throws
 */
export async function readReferral<T>(
  source: AsyncIterable<Uint8Array>,
  operation: ReferralOperation,
  settings: SchemaSettings,
  sink: (index: number, bytes: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<ReadReferral<T>> {
  try {
    const { xml, lifted, issues } = await liftContent(source, { element: 'Content', parent: 'AttachmentItem', sink });
    const found = [...issues, ...schemaFor(operation, settings).validate(xml)];
    const root = parseXml(xml);
    // One by one: as many as a document may have are too many arguments of a call.
    for (const issue of crossChecks(root, { lifted: true })) found.push(issue);
    found.sort((a, b) => a.line - b.line);
    return { root: found.length === 0 ? root : undefined, tree: root, issues: found, lifted };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'BAD_XML') throw error;
    const line = error.details?.['line'];
    return {
      root: undefined,
      tree: undefined,
      issues: [{ message: error.message, line: typeof line === 'number' ? line : 0, path: '', element: '' }],
      lifted: [],
    };
  }
}
