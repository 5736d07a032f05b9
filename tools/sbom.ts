/**
 * The software bill of materials: what a production installation runs, in CycloneDX 1.6, from the lock files. It holds
 * no time and no random number, so that it changes only with the packages.
 */
import { existsSync, readFileSync } from 'node:fs';

export const SBOM = 'docs/security/sbom.cdx.json';

/** An entry of a lock file. */
interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

type Packages = Readonly<Record<string, LockedPackage>>;

/** Licences of packages that state none, or not by its identifier, from the licence text that they contain. */
const LICENCES: Readonly<Record<string, string>> = {
  buildcheck: 'MIT',
  'cpu-features': 'MIT',
  ssh2: 'MIT',
  zipcodes: 'BSD-3-Clause',
};
/** Licences that a package of the product may have. Others, above all AGPL and GPL, need a decision. */
const ALLOWED = new Set('0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause CC0-1.0 ISC MIT MIT-0 Unlicense'.split(' '));

/** Libraries within the packages of the embedded PostgreSQL: they have no package of their own. */
const BUNDLED = [
  { name: 'postgresql', version: '18.4', license: 'PostgreSQL' },
  { name: 'openssl', version: '1.1.1', license: 'OpenSSL' },
  { name: 'icu', version: '60.2', license: 'ICU' },
  { name: 'zlib', version: '1.2.11', license: 'Zlib' },
  { name: 'libxml2', version: '2.9', license: 'MIT' },
] as const;

const DEPENDENCY_FOLDER = 'node_modules/';

/**
 * Returns the bill as JSON.
 * @throws for a package of the product whose licence is unknown or not allowed
 */
export function sbom(): string {
  const { name, version, description, license } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
    'name' | 'version' | 'description' | 'license',
    string
  >;
  const product = packagesOf('package-lock.json');
  const runtime = packagesOf('runtime/package-lock.json');
  const root = `${name}@${version}`;
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        'bom-ref': root,
        type: 'application',
        name,
        version,
        description,
        licenses: [{ license: { id: license } }],
      },
    },
    components: [...componentsOf(product), ...componentsOf(runtime), ...BUNDLED.map(bundledComponent)],
    dependencies: [
      { ref: root, dependsOn: [...dependenciesOf(product, ''), ...dependenciesOf(runtime, '')].sort() },
      ...edgesOf(product),
      ...edgesOf(runtime),
    ],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** Returns the packages of a lock file that are installed in production, by their path. */
function packagesOf(lockFile: string): Packages {
  const { packages } = JSON.parse(readFileSync(lockFile, 'utf8')) as { packages: Packages };
  return Object.fromEntries(Object.entries(packages).filter(([, { dev }]) => dev !== true));
}

function componentsOf(packages: Packages): object[] {
  return installed(packages).map(([path, locked]) => {
    const name = nameOf(path);
    const [scope, plain = ''] = name.startsWith('@') ? name.split('/') : ['', name];
    return {
      'bom-ref': referenceOf(packages, path),
      type: 'library',
      ...(scope === '' ? {} : { group: scope }),
      name: plain,
      version: locked.version,
      hashes: [{ alg: 'SHA-512', content: hashOf(name, locked) }],
      licenses: [{ license: { id: licenceOf(name, locked) } }],
      purl: `pkg:npm/${name.replace('@', '%40')}@${locked.version ?? ''}`,
    };
  });
}

function bundledComponent({ name, version, license }: (typeof BUNDLED)[number]): object {
  return {
    'bom-ref': `bundled:${name}@${version}`,
    type: 'library',
    name,
    version,
    description: 'Part of the packages of the embedded PostgreSQL.',
    licenses: [{ license: { id: license } }],
  };
}

function edgesOf(packages: Packages): object[] {
  return installed(packages).map(([path]) => ({
    ref: referenceOf(packages, path),
    dependsOn: [...new Set(dependenciesOf(packages, path))].sort(),
  }));
}

/** Returns the packages that one depends on, each as Node finds it: in its own folder or the nearest above. */
function dependenciesOf(packages: Packages, path: string): string[] {
  const { dependencies = {}, optionalDependencies = {} } = packages[path] ?? {};
  return Object.keys({ ...dependencies, ...optionalDependencies }).flatMap((name) => {
    for (let folder: string | undefined = path; folder !== undefined; folder = folderAbove(folder)) {
      const found = `${folder === '' ? '' : `${folder}/`}${DEPENDENCY_FOLDER}${name}`;
      if (packages[found]) return [referenceOf(packages, found)];
    }
    return [];
  });
}

function folderAbove(path: string): string | undefined {
  return path === '' ? undefined : path.slice(0, Math.max(0, path.lastIndexOf(`/${DEPENDENCY_FOLDER}`)));
}

function installed(packages: Packages): [string, LockedPackage][] {
  return Object.entries(packages).filter(([path]) => path !== '');
}

/** The same version may be installed in several folders; each is a component of its own. */
function referenceOf(packages: Packages, path: string): string {
  const name = `${nameOf(path)}@${packages[path]?.version ?? ''}`;
  return path.lastIndexOf(DEPENDENCY_FOLDER) === 0 ? name : `${name}|${path}`;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf(DEPENDENCY_FOLDER) + DEPENDENCY_FOLDER.length);
}

function hashOf(name: string, { integrity }: LockedPackage): string {
  const hash = /^sha512-(\S+)$/.exec(integrity ?? '')?.[1];
  if (hash === undefined) throw new Error(`package-lock.json: ${name} has no SHA-512 of its contents`);
  return Buffer.from(hash, 'base64').toString('hex');
}

function licenceOf(name: string, { license }: LockedPackage): string {
  const known = LICENCES[name] ?? license;
  if (known === undefined) throw new Error(`${name} states no licence; read its text and add it to tools/sbom.ts`);
  // A choice of licences: the first that is allowed.
  const chosen = known
    .replace(/[()]/g, '')
    .split(' OR ')
    .find((each) => ALLOWED.has(each));
  if (chosen === undefined) throw new Error(`${name} has the licence ${known}, which tools/sbom.ts does not allow`);
  return chosen;
}

/** Whether the bill is the one in the repository. */
export function isSbomCurrent(): boolean {
  return existsSync(SBOM) && readFileSync(SBOM, 'utf8') === sbom();
}
