import {
  ParseOption,
  XmlBufferInputProvider,
  XmlDocument,
  XmlLibError,
  XsdValidator,
  xmlCleanupInputProvider,
  xmlRegisterInputProvider,
} from 'libxml2-wasm';
import * as internals from 'libxml2-wasm/lib/libxml2.mjs';

/** A complaint of libxml2 about a document, in its own words. */
export interface LibxmlIssue {
  readonly message: string;
  readonly line: number;
  readonly path: string;
}

/** Neither files nor the network, and line numbers beyond 65,535. */
const SAFE_OPTIONS = (ParseOption.XML_PARSE_NO_XXE |
  ParseOption.XML_PARSE_NONET |
  ParseOption.XML_PARSE_BIG_LINES) as ParseOption;

/** The same without the limit of 10 MB for one text. */
const HUGE_OPTIONS = (ParseOption.XML_PARSE_NO_XXE |
  ParseOption.XML_PARSE_NONET |
  ParseOption.XML_PARSE_BIG_LINES |
  ParseOption.XML_PARSE_HUGE) as ParseOption;

/**
 * Compiles a schema whose includes are found in memory, by the name that `schemaLocation` says.
 *
 * @throws Error with libxml2's words and lines: a schema is ours, so a fault in it is a fault of the programme
 */
export function compileXsd(main: string, files: Readonly<Record<string, string>>): XsdValidator {
  const source = files[main];
  if (source === undefined)
    throw new Error(`The schema ${main} is not among its files: ${Object.keys(files).join(', ')}.`);
  const buffers = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]));
  // The provider is seen by the whole process, which is why it is taken away again before anything else can run.
  xmlRegisterInputProvider(new XmlBufferInputProvider(buffers));
  try {
    const document = XmlDocument.fromString(source, { url: main, option: SAFE_OPTIONS });
    try {
      return XsdValidator.fromDoc(document);
    } finally {
      document.dispose();
    }
  } catch (cause) {
    const details =
      cause instanceof XmlLibError
        ? cause.details.map((d) => `${d.file ?? main}:${d.line}: ${d.message.trim()}`).join('\n')
        : String(cause);
    throw new Error(`The schema ${main} does not compile:\n${details}`, { cause });
  } finally {
    xmlCleanupInputProvider();
  }
}

/**
 * Validates a document and answers at most `issuesMax` complaints.
 *
 * The library's own `validate` asks for the path of every faulty element, which counts its siblings: 40,000 faulty
 * siblings took 2 s, four times as much each time they double, and no limit can be given. So the collector of
 * complaints is ours, which is the one place where we reach below the library's public face (the version is pinned, and
 * a test holds the time of that case down).
 *
 * @param huge lifts libxml2's limit of 10 MB for one text; only for documents whose size is bounded
 * @throws XmlLibError when the document is malformed
 */
export function validateBytes(
  validator: XsdValidator,
  bytes: Uint8Array,
  issuesMax: number,
  huge: boolean,
): LibxmlIssue[] {
  const document = XmlDocument.fromBuffer(bytes, {
    option: huge ? HUGE_OPTIONS : SAFE_OPTIONS,
  });
  try {
    const context = internals.xmlSchemaNewValidCtxt(nativePointer(validator));
    const outer = collecting;
    const found: LibxmlIssue[] = [];
    collecting = { issues: found, most: issuesMax };
    try {
      internals.xmlSchemaSetValidStructuredErrors(context, collector, 0);
      const outcome = internals.xmlSchemaValidateDoc(context, nativePointer(document));
      if (outcome < 0) throw new Error('libxml2 failed while it validated a document.');
      return found;
    } finally {
      collecting = outer;
      internals.xmlSchemaFreeValidCtxt(context);
    }
  } finally {
    document.dispose();
  }
}

/** Everything here is synchronous, so one list for the process is enough. */
let collecting: { readonly issues: LibxmlIssue[]; readonly most: number } | undefined;

// The declarations of the library leave out what it marks as internal: this function and the pointers.
const { addFunction } = internals as unknown as {
  readonly addFunction: (callback: (data: number, error: number) => void, signature: string) => number;
};

const collector = addFunction((_data, error) => {
  if (!collecting || collecting.issues.length >= collecting.most) return;
  collecting.issues.push({
    message: internals.XmlErrorStruct.message(error).trim(),
    line: internals.XmlErrorStruct.line(error),
    path: internals.xmlGetNodePath(internals.XmlErrorStruct.node(error)) ?? '',
  });
}, 'vii');

function nativePointer(owner: XsdValidator | XmlDocument): number {
  return (owner as unknown as { readonly _ptr: number })._ptr;
}
