// size: a table, one entry to a line
/**
 * Words in names of companies and public bodies. The first word of each line is the canonical form of the others. All
 * are in lower case without diacritics and punctuation.
 */

/**
 * Legal forms of many countries: a form, a colon, and its variants separated by commas. They are removed from the name
 * and compared separately.
 */
export const legalForms = `
inc: incorporated, incorporation, incorp, incorporate
corp: corporation, corpn, corporacion, corporacao
llc: limited liability company, limited liability co, ltd liability company, ltd liability co, l l company, lc, \
limited company, llc company, ltd co, limited liability corporation
ltd: limited, ltda, limitada, ltee, limitee, lda
co: company, compania, cia, companhia, cie, compagnie
lp: limited partnership, ltd partnership
llp: limited liability partnership
lllp: limited liability limited partnership
gp: general partnership
pc: professional corporation, professional corp, prof corp
pa: professional association, prof assn
pllc: professional limited liability company, professional llc, pl
plc: public limited company
psc: professional service corporation
na: national association, national assn, natl assn, natl association, nat assn, nat association, nat l association
fsb: federal savings bank
ssb: state savings bank
fa: federal association
nv: naamloze vennootschap
bv: besloten vennootschap, besloten vennootschap met beperkte aansprakelijkheid
cv: commanditaire vennootschap
vof: vennootschap onder firma
gmbh: gesellschaft mit beschrankter haftung, gesellschaft m b h, gesmbh, ges mbh
gmbhcokg: gmbh and co kg, gmbh co kg
ag: aktiengesellschaft
kg: kommanditgesellschaft
kgaa: kommanditgesellschaft auf aktien
ohg: offene handelsgesellschaft
ug: unternehmergesellschaft, ug haftungsbeschrankt, unternehmergesellschaft haftungsbeschrankt
ev: eingetragener verein
eg: eingetragene genossenschaft
gbr: gesellschaft burgerlichen rechts
se: societas europaea
sa: sociedad anonima, societe anonyme, sociedade anonima, spolka akcyjna
sadecv: sociedad anonima de capital variable, sa de cv, s a de c v
sapi: sociedad anonima promotora de inversion
sas: societe par actions simplifiee, sociedad por acciones simplificada
sasu: societe par actions simplifiee unipersonnelle
sarl: societe a responsabilite limitee, societe responsabilite limitee
eurl: entreprise unipersonnelle a responsabilite limitee
snc: societe en nom collectif, societa in nome collettivo
sci: societe civile immobiliere
sl: sociedad limitada
slu: sociedad limitada unipersonal
srl: sociedad de responsabilidad limitada, societa a responsabilita limitata, s de rl, s de r l, \
sociedad de responsabilidad ltda
spa: societa per azioni, sociedad por acciones
ss: societa semplice
sc: sociedad civil, sociedad cooperativa
spzoo: spolka z ograniczona odpowiedzialnoscia, sp z o o, sp zoo, sp z oo
sro: spolecnost s rucenim omezenym, spolocnost s rucenim obmedzenym, spol s r o
as: aktieselskab, aksjeselskap, akciova spolecnost, anonim sirketi
asa: allmennaksjeselskap
aps: anpartsselskab
ab: aktiebolag
abp: publikt aktiebolag
hb: handelsbolag
kb: kommanditbolag
oy: osakeyhtio
oyj: julkinen osakeyhtio
ehf: einkahlutafelag
hf: hlutafelag
kft: korlatolt felelossegu tarsasag
zrt: zartkoruen mukodo reszvenytarsasag
nyrt: nyilvanosan mukodo reszvenytarsasag
doo: drustvo s ogranicenom odgovornoscu, drustvo sa ogranicenom odgovornoscu, d o o
dd: dionicko drustvo
ad: akcionarsko drustvo, aktsionerno druzhestvo
ood: druzhestvo s ogranichena otgovornost
eood: ednolichno druzhestvo s ogranichena otgovornost
ooo: obshchestvo s ogranichennoi otvetstvennostyu, obshchestvo s ogranichennoy otvetstvennostyu
oao: otkrytoe aktsionernoe obshchestvo
pao: publichnoe aktsionernoe obshchestvo
zao: zakrytoe aktsionernoe obshchestvo
ao: aktsionernoe obshchestvo
tov: tovarystvo z obmezhenoyu vidpovidalnistyu
uab: uzdaroji akcine bendrove
sia: sabiedriba ar ierobezotu atbildibu
ou: osauhing
epe: etaireia periorismenis efthynis
ae: anonymi etaireia
ltdsti: limited sirketi, ltd sti
kk: kabushiki kaisha, kabushiki gaisha, kabushikigaisha, kabushikikaisha
gk: godo kaisha, goudou kaisha
yk: yugen kaisha
ptyltd: proprietary limited, pty limited, pty ltd, pty, proprietary
pvtltd: private limited, pvt limited, pvt ltd, pvt, private ltd, p ltd, pte ltd, pte limited, pte
sdnbhd: sendirian berhad, sdn bhd
bhd: berhad
pt: perseroan terbatas
tbk: terbuka
cic: community interest company
cio: charitable incorporated organisation
unltd: unlimited company, unlimited
dac: designated activity company
clg: company limited by guarantee
teo: teoranta
jsc: joint stock company, joint stock co
cjsc: closed joint stock company
ojsc: open joint stock company
pjsc: public joint stock company
fze: free zone establishment
wll: with limited liability
saog: societe anonyme omanaise generale
reit: real estate investment trust
scrl: societe cooperative a responsabilite limitee
asbl: association sans but lucratif
vzw: vereniging zonder winstoogmerk
eirl: empresa individual de responsabilidad limitada
eireli: empresa individual de responsabilidade limitada
`;

/** Common abbreviations: a word, a colon, and its abbreviations. An abbreviation stands for one word only. */
export const abbreviations = `
department: dept, dpt, depts, deptmt, departments
national: natl, nat, nl, natnl
international: intl, int, internatl, internat, intnl
association: assn, assoc, asso, assoctn, assocn, ass'n
associates: assocs, assoces, associate
service: services, svc, svcs, serv, servs, srv, srvs, svce, srvcs, servcs
manufacturing: mfg, manuf, manufg, mfrg, mnfg
manufacturer: mfr, mfrs, manufacturers
federal: fed, fedl
mortgage: mtg, mtge, mortg, mort, mrtg, mortgages, mtgs
development: dev, devel, dvlp, dvlpmt, devt, developments, develop, devmt
technology: tech, technologies, techs, technol
technical: techl
brothers: bros, bro
management: mgmt, mgt, mngmt, mgnt, managment, mgm
manager: mgr, managers
government: govt, gov, gvt, govmt
university: univ, universities, unv
institute: inst, instit
institution: instn
hospital: hosp, hospitals
insurance: ins, insur, insce
industry: industries, inds, indus, indust, ind
industrial: indl
group: grp, gp, groups, gr
holding: hldg, hldgs, holdings, hld
investment: inv, invest, invs, invest, investments, invmt, invts, invt
investor: investors
property: prop, props, properties, ppty, ppties, prpty
partner: ptnr, ptnrs, partners, ptr, ptrs, prtnrs, prtnr
partnership: ptnrship, pship, ptshp, prtshp
system: sys, systems, syst, systs
solution: soln, solns, solutions, sltns
product: prod, prods, products, prdts
production: prodn, prodns, productions
enterprise: ent, enterprises, entrprs, enterp, entps
distribution: dist'n, distr, distrib, distn, dstrbtn
distributor: distributors, distrs, dstr
district: dist, dst
engineering: eng, engr, engrg, engg, engng
engineer: engineers, engrs
construction: constr, const, cons, constrn, cnstr, constructions
contractor: contrs, contractors, contr, contrac
contracting: contrg, contg
community: comm, cmty, commty, comty, communities
commission: commn, comn, comsn
commissioner: commr, comr, commissioners, commrs
committee: cmte, comm'tee, commtee, cttee, comte
communication: commun, communs, communications, comms, commns, comunications
commercial: coml, comml, cml
committee: ctee
council: cncl, coun
county: cnty, cty, cntys
center: ctr, centre, centers, cntr, cen, cent, centres
central: cntrl, centl, ctrl
school: sch, schl
schools: schls, schs
street: str, strt
avenue: ave, av, aven
boulevard: blvd, boul, blv
drive: dr
road: rd
lane: ln
highway: hwy, hiway
square: sq
building: bldg, bldgs, bldng, buildings
builder: bldr, bldrs, builders
apartment: apt, apts, apartments, apartmnts
mount: mt
mountain: mtn, mtns, mountains
fort: ft
north: n
northern: nthn, nrthn
northeast: ne
northwest: nw
southeast: se
southwest: sw
south: so
east: e
west: w
american: amer, am, amern
america: amca
america: americas
authority: auth, authy, authorities
agency: agcy, agncy, agy, agencies
administration: admin, adm, admn, administrative
financial: fin, fincl, finl, financials
finance: fnc, finance
savings: svgs, sav, svg, savs, saving, svngs
loan: ln, loans
bank: bk, bnk, banc, bks
banking: bkg
bancorporation: bancorp
trust: tr, trst
trustee: ttee, trustees, ttees
treasury: treas
treasurer: treas'r, treasr
revenue: rev

society: soc, socy
organization: org, orgn, organisation, orgs, organizations
homeowners: hmowners, homeowner, homeownrs, hmownrs
condominium: condo, condos, condominiums, condomin
cooperative: coop, cooperatives, cooptv
credit: cr, cred
union: un, unions
acceptance: accept
receivables: recv, receivable, rcvbls
recovery: recov
collection: coll, colls, collections
servicing: svcg, servicng, srvcg, srvg
mutual: mut, mutl
municipal: mun, muni, munic
public: pub, publ
publishing: publg, pubg
publication: pubn, pubs, publications, pubns
electric: elec, elect, electr, elctrc
electrical: elecl, electl
electronic: electronics, elecs, electron, elex
equipment: equip, eqpt, eqp, equipt, eqmt
environmental: envtl, env, environ, envir
environment: envt
exchange: exch, exchg, xchg
express: exp, expr
export: exports
import: imports, imp
machine: mach
machinery: mchy, machy
market: mkt, mkts, markets, mrkt
marketing: mktg, mktng, mrktg
material: matl, matls, mtls, materials
maintenance: maint, maintnc, mtce
medical: med, medl
medicine: medcn
laboratory: lab, labs, laboratories
research: res, rsch, rsrch
resource: resources, rsrcs, resrcs, rsc
realty: rlty, rlt
residential: resid, resdntl
restaurant: restaurants, rstrnt
retirement: retrmt
transport: trans, transp, trnsp, transprt
transportation: transn, transportn, transptn, trnsprtn
transit: trnst
truck: trk, trks, trucks
trucking: trkg
travel: trvl
wholesale: whsl, whlse, whol
warehouse: whse, whs, warehouses, whses, wrhse
warehousing: whsg
water: wtr
works: wks, wrks
world: wrld
worldwide: wldwde, ww
consultant: consultants, conslt, cnslt
consulting: consltg, cnsltg, consult, cnslting
control: cntl, ctl
computer: comp, comptr, computers, cmptr
chemical: chem, chemicals, chems
pharmaceutical: pharm, pharma, pharmaceuticals, pharmac
pharmacy: phcy, phar
petroleum: petro, petrol
general: gen, genl, gnrl
division: div, divn, dvsn
branch: br, brnch
office: off, ofc, ofcs, offices, offc
attorney: atty, att'y
attorneys: attys
telephone: tel, phone
telecommunication: telecom, telecommunications, telcom, telecomm
television: tv
utility: util, utils, utilities
village: vlg, vill
township: twp, twnshp, twsp
borough: boro
parish: par
territory: terr
commonwealth: cmwlth, commw, comwlth
saint: st
sainte: ste
superior: sup, supr
supply: sply, supplies, splys, suppl
support: supp, sppt
police: pol
security: sec, secur, securities, secs, scty
secretary: secy, sec'y
standard: std, stand, stdrd

software: sftwr, sw.
studio: studios, stud
student: students
education: educ, edn
educational: edl, educl
elementary: elem
employee: employees, emp, empl, emps
energy: enrg, nrg
entertainment: entmt, ent'mt, entertnmt
automotive: auto, autom, automot
aviation: avn, aviat
agricultural: agri, agric, agr, agl
agriculture: agricult
advertising: advtg, adv, advert, advg
accounting: acctg, actg, acct
accountant: accountants, accts, acctnt
appliance: appl, appliances
architect: arch, architects, archts
assurance: assur, assce
board: bd, brd
brokerage: bkrg, brkrg
broker: bkr, bkrs, brokers
business: bus, bsns, businesses
capital: cap, capitl, cptl
casualty: cas, caslty
cemetery: cem
chapter: chap, chptr
church: ch, chch
clinic: clin, clnc
club: clb
college: coll., clg.
conference: conf
congregation: cong, congr
congress: congrs
consolidated: consol, consold
container: contnr
continental: contl, cont
court: ct, crt
creative: creatv
dealer: dlr, dlrs, dealers
delivery: dlvy
dental: dntl
design: dsgn, dsgns, designs
director: dir, directors
economic: econ
emergency: emer, emerg, emrg
estate: est
estates: ests
europe: eur
facility: fac, facilities, facil
family: fam
farm: farms, fm, fms
fellowship: flwshp
freight: frt, frght
furniture: furn
garden: gdn, gdns, gardens, gard
gallery: gall, galleries
guaranty: guar, gty, guarantee
harbor: hbr, harbour
hardware: hdwe, hdwr
headquarters: hq, hdqrs, hdqtrs
health: hlth, hlt
healthcare: hlthcr
heating: htg
heights: hts, hgts
high: hi
home: homes, hm
hotel: htl, hotels
housing: hsg, hous
human: hum
hydraulic: hydr
improvement: impr, imprvmt, improvements
independent: indep, indp, indpt
information: info, inf
island: isl, islands, is., isls
junction: jct

labour: labr
land: lnd
learning: lrng
leasing: lsg, lease, leasng
library: lib, libr
license: lic, lics, licence
lumber: lbr
logistics: logist, lgstcs
magazine: magz
maritime: marit
memorial: mem, meml
merchant: merch, merchants, mchts, mcht
merchandise: mdse
metropolitan: metro, metrop, met
military: mil
mission: msn
motor: mtr, motors, mtrs
museum: mus
network: netwk, ntwk, networks, netw
nursing: nsg, nurs
operation: oper, ops, operations, opns
optical: opt
orthodox: orth
orthopedic: ortho, orthop, orthopaedic
packaging: pkg, pkging, packg
pacific: pac, pacif
park: pk
parking: pkng, prkg
parks: pks
personnel: pers
physician: phys, physicians
planning: plng, plang
plastic: plstc, plastics, plas
plumbing: plbg, plmbg, plumb, plbng
point: pt.
port: prt
power: pwr
preservation: presv
president: pres
printing: prtg, prntg, print
private: priv
processing: proc, procsng
professional: prof, profl, professionals
program: prog, programs, programme
project: proj, projects
protection: prot
province: prov
provincial: provl
quality: qual, qlty
railroad: rr
railway: rwy, ry, rlwy
ranch: rnch
recreation: rec, recr, recn
refrigeration: refrig
region: regn
regional: reg, regl, rgnl
registrar: regr
rehabilitation: rehab
rental: rentals, rntl, rntls
repair: rpr, rep, repairs
representative: repr
republic: rep.
reserve: resv, rsrv
retail: rtl
river: riv, rvr
rural: rrl
safety: sfty
sales: sls
sanitation: sanit, san.
science: sci, sciences
scientific: scientif
section: sect
senior: snr
sheriff: shf, shrf, sheriffs
shipping: shpg
shopping: shpng
social: socl
special: spec, spl
specialty: specs, specialties, splty
sport: spts, sports, spt
station: sta, stn, statn
storage: stor, strg
structure: struct
superintendent: supt
surgery: surg
surgical: surgl
terminal: term
textile: textiles, txtl
theater: theatre, thtr, theat
title: ttl
training: trng, trnng
treatment: trtmt
urban: urb
valley: vly, vall
vehicle: veh
veterans: vet, vets, veteran
veterinary: vetn, veterinarian
vocational: voc
volunteer: vol
welfare: welf
winery: wnry
women: wmn, womens
wood: wd
workshop: wkshp
youth: yth
series: ser, srs
number: no., num, nbr, nr
certificate: cert, certs, certificates, ctf, ctfs
pass: pas
through: thru
passthrough: passthru
asset: ast, assets
backed: bkd
securitization: securitzn, securitisation
fund: fd, funds
funding: fndg
supermarket: supermkt
trading: trdg, trad, tdg
labor: lbr.
defense: def, defence
district: distr.
junior: jnr
grocery: groc, groceries
bakery: bkry, bakeries
brewery: brew, breweries
gas: gs
oil: ol
mining: mng
metal: mtl, metals
millwork: mlwk, millwrk
roofing: rfg
flooring: flrg
landscaping: landscp, lndscp, landscape
cleaning: clng
painting: ptg, pntg
tire: tyre, tires
fabrication: fab, fabs, fabricators
aluminum: alum, aluminium
steel: stl
concrete: conc, concr
paving: pvg
insulation: insul
beverage: bev, bevs, beverages
catering: cater
counsel: cnsl
law: lw
legal: lgl
legislative: leg
legislature: legis
probate: prob
prosecutor: prosec
magistrate: magis
attorney: att
judicial: jud
circuit: cir
appeals: appeal
clerk: clk
assessor: assr
auditor: aud
comptroller: compt, controller
corrections: corr, correctional
treasurer: tres
taxation: taxn
william: wm
charles: chas
george: geo
james: jas
joseph: jos
thomas: thos
robert: robt
john: jno
edward: edw
benjamin: benj
samuel: saml
`;

/** Multi-word names with a well-known short form: the short form, a colon, the words. */
export const phrases = `
us: united states, united states of america, usa, u s of a
uk: united kingdom, great britain
un: united nations
eu: european union
uae: united arab emirates
nyc: new york city
irs: internal revenue service
hud: housing and urban development
usda: united states department of agriculture, us department of agriculture
fnma: federal national mortgage association, fannie mae
fhlmc: federal home loan mortgage corporation, freddie mac
gnma: government national mortgage association, ginnie mae
fha: federal housing administration
fdic: federal deposit insurance corporation
ssa: social security administration
sba: small business administration
epa: environmental protection agency
dmv: department of motor vehicles
dot: department of transportation
doj: department of justice
dor: department of revenue
hoa: homeowners association, home owners association
poa: property owners association
coa: condominium owners association
fcu: federal credit union
cu: credit union
ymca: young mens christian association
ywca: young womens christian association
vfw: veterans of foreign wars
realestate: real estate, re est, r e
isd: independent school district
usd: unified school district
pud: public utility district
mud: municipal utility district
lawoffice: law office, law offices, law ofc, law ofcs, law off, legal offices
lawfirm: law firm
lawgroup: law group
mobilehome: mobile home
healthcare: health care
homecare: home care
carwash: car wash
airlines: air lines
online: on line
passthrough: pass through
ny: new york
nj: new jersey
nh: new hampshire
nm: new mexico
nc: north carolina
sc_: south carolina
nd: north dakota
sd: south dakota
wv: west virginia
ri: rhode island
tx: texas, tex
ca_: california, calif, cal
fl: florida, fla
pa_: pennsylvania, penna, penn
oh: ohio
mi: michigan, mich
ga: georgia
va_: virginia
wash_: washington
ma_: massachusetts, mass
az: arizona, ariz
ark_: arkansas, ark
ill_: illinois, ill
ind_: indiana
conn_: connecticut, conn
colo_: colorado, colo
minn_: minnesota, minn
miss_: mississippi
mo_: missouri
wis_: wisconsin, wisc, wis
okla_: oklahoma, okla
ore_: oregon, ore
tenn_: tennessee, tenn
ky: kentucky
nev_: nevada
neb_: nebraska, nebr
kans_: kansas, kans
mont_: montana
del_: delaware
md_: maryland
wyo_: wyoming, wyo
vt: vermont
`;

/** Function words that are ignored between other words. */
export const silentWords = 'the of and for at in a an to de del la le les et und y e von der die das by on';

/** Words that show a company or public body, besides the legal forms and the words above. */
export const companyWords = `
academy accessories advisors advisory aerospace air airlines airport airways alliance ambulance analytics animal
antiques apparel appraisal arena arms arts artisan asphalt atelier auction autos bail bait bakers bakery ballet banco
bancorp bancshares banque bar barbershop basketmakers bazaar beauty bikes bistro blinds boat books bookstore boutique
bowling brands brewers brewing bricks bureau cabinet cafe camp candle candy canning capital car care carpentry carpet
carpets cars cathedral charity chiropractic cinema cleaners clothing coach coal coffee coffeehouse commerce concepts
condominiums confectionery consortium convent couriers crafts creamery creations crossing cruises customs dairy dance
data daycare deli diagnostics diner diocese direct drilling drugs drywall dynamics eatery embassy enterprises equities
equity escrow estates events excavating excavation exteriors factory fashion fence fencing filmworks firm fisheries
fitness florist florists floral flowers food foods forwarding foundry franchise frozen fuel fuels funeral furnishings
games garage gear gifts ginnery glass glassworks global goods grading grill grocers growers guild gym hauling haven
hatchery hospice imaging implement indemnity inn innovations inspection installations instruments interiors
investigations iron ironworks irrigation jewelers jewelry kennels kitchen kitchens landscapers laundry leather lending
lenders life lighting limousine line lines liquor locksmith lodge lottery lounge machining mall manor manufactory
marina marine masonry massage mattress meat meats mechanical media mercantile metalworks mill mills ministries
ministry monastery mortuary motel moving music newspaper nursery oilfield optics orchard orchards orchestra outfitters
oyster paint paper parlor parts partners party pavers pawn payroll performance petroleum pet pets photo photography
pictures pizza pizzeria planners plant plants players plaza podiatry pool pools portfolio pottery poultry precinct
press printers properties pub publishers pump quarries quarry radio rail recycling realtors refining refinery refuse
relief remodeling resort resorts restoration roasters roofers rooms salon salvage savings seafood seed seeds shipyard
shoes shop shops signs sisters skating sons spa spirits spring springs staffing stables stationers steakhouse stone
store stores supplies surveyors surveying syndicate tailors tannery tavern taxation taxi tea telecom tenants textiles
theatricals thrift tile tools tours towing toys trailer trailers transfer tree trees upholstery vacations vault
vending ventures vineyard vineyards vision wash waste wealth weavers welding wellness wheel windows wine wines winery
wireless women workers yacht yachts yard yoga zoo
arbitration bankers bancorporation beneficial brokers lenders originations homeloans servicer servicers nominee
registrar registry escrows conduit depositor issuer trusts reo
banco banca caja casa cooperativa fabrica ferreteria fundacion grupo hermanos hijos hacienda iglesia industrias
inmobiliaria ministerio municipio panaderia restaurante servicios tienda universidad constructora comercial
bank's brauerei druckerei fabrik gesellschaft handel handels werke sparkasse stadt verein verlag versicherung bau
stiftung
banque boulangerie brasserie etablissements entreprise fils frere freres maison mairie societe ville
azienda fratelli officina ristorante societa
stad gemeente handelsmaatschappij zonen
city town village township municipality parish borough state commonwealth republic kingdom district bureau tribunal
senate assembly precinct police fire sheriff treasury ministry army navy marshal
`;

/**
 * Last words of places and invented company names. After a word that is also a given name, they show a company (Amber
 * Creek).
 */
export const placeWords = `
acre acres bay bayou beach bluff bluffs bottom brook canyon cape cliff cliffs corner corners cove creek crest crossing
dale dell delta desert dunes falls farm farms field fields ford forest fork forks garden gardens gate glade glen grove
gulch harbor haven heights hill hills hollow island isle junction knoll lake lakes landing lane ledge marsh meadow
meadows mesa mill mills mountain oak oaks orchard park pass peak pine pines pinnacle place plain plains point pond
prairie ranch range rapids ridge river rock sands shore shores slope spring springs square station stone strand stream
summit terrace trace trail tree vale valley view village vista water waters way wells wood woods coast horizon sky sun
star moon gold silver diamond crystal eagle falcon hawk wolf bear lion tiger phoenix dragon one two three alpha omega
vector matrix nexus apex zenith vertex prime core edge labs works hub link net dot box
`;

/**
 * Last words of a part after a comma, or of the rest of a longer name, that is only a branch of a private company.
 */
export const branchWords = `
branch office department division store location unit plant warehouse region outlet desk team section affiliate
counter depot facility shop site terminal headquarters bureau
`;

/** Words of public bodies. Their offices and branches are separate bodies. */
export const publicWords = `
city town village township county state commonwealth borough parish municipality republic district court clerk sheriff
police fire government federal authority commission ministry agency treasury treasurer taxation revenue school
university college us assessor auditor bureau council army navy marshal housing comptroller recorder prosecutor
`;
