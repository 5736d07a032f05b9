/*
 * The settings of LibreOffice for files that nobody has checked. Documents cannot change them: all are `fuse`.
 */

/** Settings by the node that they are in. */
const SETTINGS: Readonly<Record<string, Readonly<Record<string, boolean | number | string>>>> = {
  'Common/Security/Scripting': {
    // Whatever a document refers to outside itself is not opened: files of this server and addresses alike.
    BlockUntrustedRefererLinks: true,
    DisableMacrosExecution: true,
    DisableActiveContent: true,
    MacroSecurityLevel: 3,
  },
  // Linked content is never updated, and formulas keep the results that the file has.
  'Writer/Content/Update': { Link: 0, Field: 0, Chart: false },
  'Calc/Content/Update': { Link: 2 },
  'Calc/Formula/Load': { OOXMLRecalcMode: 1, ODFRecalcMode: 1 },
  // A proxy that does not exist, for whatever would connect after all.
  Inet: {
    ooInetProxyType: 1,
    ooInetHTTPProxyName: '127.0.0.1',
    ooInetHTTPProxyPort: 9,
    ooInetHTTPSProxyName: '127.0.0.1',
    ooInetHTTPSProxyPort: 9,
    ooInetNoProxy: '',
  },
};

/** The file of a profile that has its settings, below the folder of the profile. */
export const SETTINGS_FILE = 'user/registrymodifications.xcu';

/** Returns the content of {@link SETTINGS_FILE}. */
export function hardenedSettings(): string {
  const items = Object.entries(SETTINGS).flatMap(([node, values]) => {
    const path = `/org.openoffice.${node === 'Inet' ? 'Inet/Settings' : `Office.${node}`}`;
    return Object.entries(values).map(
      ([name, value]) =>
        `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
    );
  });
  const namespaces =
    'xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" ' +
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
  return `<?xml version="1.0" encoding="UTF-8"?>\n<oor:items ${namespaces}>${items.join('')}</oor:items>\n`;
}
