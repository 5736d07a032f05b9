import ssh2 from 'ssh2';
import type { FileObjectType } from '../../../contracts/file-object.ts';
import type { OptionValues } from '../../../contracts/provider-options.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import type { ParameterFields } from '../../../kernel/declare/field-types.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { outboundRules, outboundUrl } from '../../../kernel/security/outbound.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import type { Settings } from '../../../kernel/declare/setting.ts';
import { SftpConnections } from './connections.ts';
import { SftpFolder } from './sftp-folder.ts';

/** Default timeout of a response from the server, in seconds. */
const TIMEOUT_SECONDS = 30;
/** Default limit of simultaneous connections to one server. */
const CONNECTIONS_MAX = 4;
const PORT = 22;

/** Options of a folder on a server. */
const sftpOptions = {
  Host: required(f.text({ doc: 'The server.', max: 255, exact: true })),
  UserName: required(f.text({ doc: 'The user name.', max: 200, exact: true })),
  Port: f.integer({ doc: 'The port; by default 22.' }),
  Folder: f.text({ doc: 'A folder on the server.', max: 500, exact: true }),
  Password: f.secret({ doc: 'The password, if no key is used.', max: 2000 }),
  PrivateKey: f.secret({ doc: 'The private key, in OpenSSH or PEM format.', max: 30000 }),
  Passphrase: f.secret({ doc: 'The passphrase of the private key.', max: 2000 }),
  HostKey: f.text({ doc: "Fingerprints of the server's keys, comma-separated.", max: 1000, exact: true }),
  ConnectionsMax: f.integer({ doc: 'Most connections of one process.' }),
  TimeoutSeconds: f.integer({ doc: 'Timeout of a response from the server, in seconds.' }),
} as const satisfies ParameterFields;

/** The options of a saved folder on a server. */
export type SftpOptions = OptionValues<typeof sftpOptions>;

/** Folders on servers reached by sFTP. */
export function sftpFolders(settings: Settings): FileObjectType<typeof sftpOptions> {
  return {
    options: sftpOptions,
    validate({ options }) {
      validateHost(settings, options);
      if (fingerprintsOf(options).some((one) => !/^SHA256:[A-Za-z0-9+/]{43}$/.test(one)))
        throw bad(
          'HostKey',
          "fingerprints of the server's keys as `ssh-keygen -lf` shows them, SHA256: and 43 characters, " +
            'comma-separated',
        );
      if ((options.Password === undefined) === (options.PrivateKey === undefined))
        throw bad('Password', 'either Password or PrivateKey');
      if (
        options.PrivateKey !== undefined &&
        ssh2.utils.parseKey(options.PrivateKey, options.Passphrase) instanceof Error
      )
        throw bad('PrivateKey', 'a private key in OpenSSH or PEM format, and its Passphrase if it has one');

      if (/[\u0000-\u001f\u007f]/.test(options.Folder ?? '')) throw bad('Folder', 'the path of a folder on the server');
    },
    open({ name, options }) {
      const {
        Host: host,
        Port: port = PORT,
        UserName: userName,
        Folder: folder,
        ConnectionsMax: connectionsMax = CONNECTIONS_MAX,
        TimeoutSeconds: timeoutSeconds = TIMEOUT_SECONDS,
        Password: password,
        PrivateKey: privateKey,
        Passphrase: passphrase,
      } = options;
      const milliseconds = timeoutSeconds * 1_000;
      const connections = new SftpConnections({
        location: name,
        host,
        port,
        userName,
        connectionsMax,
        milliseconds,
        hostKeys: fingerprintsOf(options),
        rules: () => outboundRules(settings),
        ...(password === undefined ? {} : { password }),
        ...(privateKey === undefined ? {} : { privateKey }),
        ...(passphrase === undefined ? {} : { passphrase }),
      });
      return new SftpFolder(name, connections, folder ?? '.', milliseconds);
    },
  };
}

function fingerprintsOf({ HostKey }: SftpOptions): readonly string[] {
  return (HostKey ?? '').split(/[\s,]+/).filter((one) => one !== '');
}

/** A host name or address; an address must be one that the settings allow connections to. */
function validateHost(settings: Settings, { Host: host, Port: port = PORT }: SftpOptions): void {
  if (!/^[A-Za-z0-9.:_-]{1,255}$/.test(host)) throw bad('Host', 'the name or address of a server');
  if (port < 1 || port > 65_535) throw bad('Port', 'a port between 1 and 65535');
  try {
    outboundUrl(outboundRules(settings), `https://${host.includes(':') ? `[${host}]` : host}:${port}`, 'Host');
  } catch (error) {
    throw error instanceof PlatformError && error.message.includes('network')
      ? error
      : bad('Host', 'the name or address of a server');
  }
}
