import type { MailInboundType } from '../../../contracts/mail-inbound.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import type { ParameterFields } from '../../../kernel/declare/field-types.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { outboundRules } from '../../../kernel/security/outbound.ts';
import type { Settings } from '../../../kernel/declare/setting.ts';
import { assertHosted, hostedToken } from '../client-credentials.ts';
import { assertFolders } from '../folder-names.ts';
import { hostedSignInOptions } from '../hosted-options.ts';
import { assertServerAddress, serverUrl } from '../mail-server-address.ts';
import { HostedApiMailbox } from './hosted-api-mailbox.ts';

/** Default timeout, in seconds. */
const TIMEOUT_SECONDS = 60;

const hostedApiOptions = {
  Host: required(f.text({ doc: 'The service, by name or address.', max: 255, exact: true })),
  Port: f.integer({ doc: 'The port; by default 443.' }),
  Security: f.choice(['TLS', 'STARTTLS', 'None'], { doc: 'TLS, or None for this machine alone.' }),
  UserName: required(f.text({ doc: 'The mailbox, as the service names it.', max: 255, exact: true })),
  Folder: f.text({ doc: 'The folder that is read; by default INBOX.', max: 500, exact: true }),
  ReceivedFolder: f.text({ doc: 'The folder to which received mail is moved.', max: 500, exact: true }),
  TimeoutSeconds: f.integer({ doc: 'Timeout of a response, in seconds.' }),
  Path: f.text({ doc: 'The path before `/mailboxes` in addresses; by default /v1.', max: 500, exact: true }),
  ...hostedSignInOptions,
} as const satisfies ParameterFields;

/** Mailboxes of a hosted mail service that are read through its HTTP API. */
export function hostedApiReceiver(
  settings: Settings,
  times: { readonly pollMilliseconds?: number } = {},
): MailInboundType<typeof hostedApiOptions> {
  const rules = (): ReturnType<typeof outboundRules> => outboundRules(settings);
  return {
    options: hostedApiOptions,
    validate({ options }) {
      assertServerAddress(settings, options);
      if (options.Security === 'STARTTLS') throw bad('Security', 'TLS, or None for this machine alone');
      if (/\p{Cc}/u.test(options.UserName)) throw bad('UserName', 'a name on one line');
      if (!/^(?:\/[\w.~-]+)*$/.test(options.Path ?? '')) throw bad('Path', 'a path such as /v1');
      assertFolders(options);
      assertHosted(settings, options);
    },
    open({ options }) {
      const { Port, UserName, Folder = 'INBOX', ReceivedFolder, TimeoutSeconds, Path = '/v1' } = options;
      const milliseconds = (TimeoutSeconds ?? TIMEOUT_SECONDS) * 1_000;
      const url = serverUrl(options);
      if (Port !== undefined) url.port = String(Port);
      return new HostedApiMailbox({
        ...times,
        base: `${url.origin}${Path}/mailboxes/${encodeURIComponent(UserName)}`,
        token: hostedToken(options, { rules, milliseconds }),
        rules,
        milliseconds,
        folder: Folder,
        receivedFolder: ReceivedFolder,
      });
    },
  };
}
