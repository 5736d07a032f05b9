import { PlatformError } from '../../../../kernel/door/errors.ts';
import { parseXml, type XmlElement } from '../../../../kernel/xml/element.ts';
import type { SchemaIssue } from '../../../../kernel/xml/schema-issue.ts';
import { liftContent, type LiftedContent } from './lift.ts';
import { crossChecks, schemaFor, type ReferralOperation, type SchemaSettings } from './referral-schemas.ts';

/** A parsed submission. If it has issues it is a Validation Error, and nothing of it may be saved. */
export interface ReadReferral<T> {
  /** The document with tokens in place of attached files; undefined if there are issues. */
  readonly root: XmlElement | undefined;
  /** The same document regardless of issues; undefined if it is malformed. */
  readonly tree: XmlElement | undefined;
  readonly issues: readonly SchemaIssue[];
  /** The attached files in order; empty if the document is malformed. */
  readonly lifted: readonly LiftedContent<T>[];
}

/**
 * Reads a referral submission while it streams in: attached files go to the sink, and the remainder is validated
 * against the operation's schema and the cross checks. Malformed XML and a DOCTYPE are issues like any other.
 *
 * The sink runs before the rest of the document is known. The caller keeps its own list of stored files, to remove them
 * if there are issues or this throws.
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
    // One by one: a document can have more issues than a call can have arguments.
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
