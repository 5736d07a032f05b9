// size: a table of surnames
/**
 * Surnames in use, without diacritics. Two known surnames that differ by a letter (Harper, Harker) are different
 * families; an unknown word one typing error away from a known surname is taken as that surname. Compiled by hand from
 * common knowledge, with the United States first.
 */
export const surnames = `
abbott abel abernathy abraham abrams acevedo acker ackerman acosta acuna adair adame adams adcock addison adkins adler
aguilar aguirre ahearn ahern ahmed aiken ainsworth akers akin albers albert albrecht albright alcala alden alder
aldrich aldridge alexander alfaro alford alger ali allard allen alley allison allred almeida almond alonso alonzo
alston alvarado alvarez alvey amato ambrose ames amos amundson anaya anders andersen anderson andersson andrade andre
andrew andrews andrus angel angelo anguiano anthony antoine anton aponte appel apple applegate appleton aquino aragon
aranda araujo arce archer archibald archuleta arellano arevalo arguello arias armas armstrong arndt arnett arnold
arredondo arriaga arrington arroyo arthur artis asbury ascher ash ashby ashcraft ashe asher ashford ashley ashton
ashworth askew atkins atkinson atwater atwell atwood aubrey aubin auerbach august augustin austin autry avalos avery
avila aviles ayala ayers aylward aylor baber babcock baca bach bachman bacon bader badger baer baez bagley bagwell
bailey bain baird baker balderas baldwin bales ball ballard ballou ballinger baltazar banda banks banning bannister
barajas barba barbee barber barbosa barbour barclay bard barden barger barfield barker barkley barlow barnard barnes
barnett barnette barney barnhart barnhill baron barone barr barragan barrera barrett barrios barron barrow barrows
barry bartel bartels barth barthel bartholomew bartlett bartley barton bartz bascom basham bass basset bassett
batchelder bateman bates batista batson battaglia battle batts batty bauer baugh baughman baum bauman baumann
baumgartner baxley baxter bay bayer baylor bayne beach beal beale beall beals beam beaman bean bear beard bearden
beasley beaton beatty beauchamp beaudoin beaulieu beaumont beaver beavers becerra beck becker beckett beckford beckham
beckley beckman beckwith bedard bedell bedford beebe beech beecher beeler beeman beers begley behr behrens belanger
belcher belew bell bellamy beller bello bellows belt belton beltran benavides bender benedict benitez benjamin benn
benner bennet bennett benoit benson bentley benton berg bergen berger bergeron bergh bergin bergman bergmann bergstrom
berman bermudez bernal bernard bernhardt bernier bernstein berrios berry berryman bertram bertrand bess best
betancourt bethel bettencourt betts beverly bevans bevins beyer bianchi bianco bible bickel bickford biddle bigelow
biggs bigham billings billingsley bills binder bingham binkley birch birchfield bird birdsong bishop bittner bivens
bixby black blackburn blackford blackman blackmon blackstone blackwell blackwood blade blaine blair blake blakely
blakemore blalock blanchard blanchette blanco bland blank blankenship blanton blaylock bledsoe blevins bliss block
blocker blodgett bloom bloomfield blount blue blum blumenthal blunt blythe boatright bock boden boehm bogan bogart
boggs bohannon bohn boland bolden bolduc bolen boles bolin boling bollinger bolt bolton bond bonds bone bonham bonilla
bonner bonnett booker boone booth borden borders boren borg borges borland born boston bostic boswell bosworth botello
bottoms boucher boudreau boudreaux bouchard boulanger bourgeois bourne boutwell bouvier bowden bowe bowen bower bowers
bowes bowie bowles bowling bowlin bowman bowser box boyce boyd boyer boykin boylan boyle boyles boynton bozeman brace
bracey bracken brackett bradbury braden bradfield bradford bradley bradshaw brady bragg braithwaite branch brand
brandenburg brandon brandt branham brannan brannon brant brantley braswell bratcher bratton braun bravo braxton bray
brazil breaux breeden breen brennan brenner brent breslin brett brewer brewster brice brickell bridge bridges
bridgeman briggs bright brill brinkley brinkman brinson briscoe brister britt britton broadway brock brockman brockway
broderick brodie brody brogan bronson brooke brooker brookes brooks brothers broughton broussard browder brower brown
browne brownell browning brownlee broyles brubaker bruce bruner bruno brunner bruns brunson brunswick bryan bryant
bryce bryson buchanan buchholz buck buckingham buckley buckman buckner buell buehler bueno buford bui bull bullard
bullock bumgarner bunch bundy bunker bunn bunting burch burcham burchell burchett burden burdette burdick burge burger
burgess burgos burke burkett burkhart burkholder burks burleigh burleson burley burnell burnett burnette burney
burnham burns burnside burr burrell burris burroughs burrow burrows burt burton burwell busby busch bush bushnell
busse butcher butler butterfield butts buxton byers byrd byrne byrnes byron cabral cabrera caceres caddell cade cady
cagle cahill cain calabrese calder calderon caldwell calhoun calkins callaghan callahan callan callaway calloway
callender calvert calvin calvo camacho camarillo cameron camp campbell campos canady canales canfield cannon cano
cantrell cantu canty capps caraballo caraway carbajal carbone card carden cardenas cardona cardoza carey carl carleton
carlin carlisle carlos carlson carlsen carlton carlyle carman carmichael carmona carnahan carnes carney carpenter carr
carranza carrasco carrera carrero carrico carrier carriere carrigan carrillo carrington carrion carroll carson
carswell carter cartwright carver caruso carvalho cary casas case casey cash casillas caskey cason cass cassady
cassell cassidy castaneda castellano castellanos castillo castle castleberry castro caswell cates cato caudill caudle
causey cavanaugh cavanagh cavazos cave cavender cecil cedillo centeno cervantes chacon chadwick chaffin chamberlain
chamberlin chambers champion chan chance chandler chaney chang chapa chaplin chapin chapman chappell charles charlton
chase chastain chatman chau chavarria chavez chavis cheatham cheek chen cheney cheng cherry chester chestnut cheung
chew chiang childers childress childs chilton chin chisholm chism chiu cho choate choi chong chou choudhury chow
christensen christenson christian christiansen christianson christie christman christopher christy chu chua chun chung
church churchill cintron cisneros claiborne clancy clapp clark clarke clarkson clary claudio clausen clawson clay
clayton cleary clegg clem clemens clement clements clemons cleveland cleary clifford clifton cline clinton close cloud
clough clouse cloutier cobb coble coburn cochran cochrane cockrell cody coe coffey coffin coffman cofield coggins
cohen cohn coker colbert colburn colby cole coleman coles coley collazo collett colley collier collin collins colon
colson colston colter colton colvin colwell comb combs comer compton comstock conaway conde condon cone conger conklin
conley conlin conlon conn connell connelly conner conners connolly connor connors conover conrad conroy constable
contreras converse conway conyers cook cooke cooksey cooley coombs coon cooney coons cooper cope copeland copley copp
corbett corbin corcoran cordell corder cordero cordova corey corley cormier cornelius cornell cornett cornish cornwell
corona coronado corral correa corrigan cortes cortez corwin cosby cosgrove costa costello cota cote cotter cottle
cotton cottrell couch coughlin coulson coulter councill counts courtney cousins covert covington cowan coward cowart
cowell cowles cowley cox coy coyle coyne crabb crabtree craddock craft craig crain cramer crandall crandell crane
cranford craven cravens crawford crawley creech creighton crenshaw crews crider crisp crist crocker crockett croft
cromer cromwell cronin crook crooks crosby cross crosson crouch crouse crow crowder crowe crowell crowley crowther
croy crum crump cruse cruz cuellar cuevas cullen culp culpepper culver cummings cummins cunningham curran currie
currier curry curtin curtis cushing cushman custer cutler cutter cyr dabney dahl dailey daigle dale daley dallas
dalton daly damico damron dancy dandridge dang daniel daniels danielson danner darby darden darling darnell darrow
dasilva daugherty davenport davey davidson davies davila davis davison dawes dawkins dawson day dayton deal dealy dean
deane dearborn deaton decker deering dees degraw dehart deitz delacruz delagarza delaney delano delaney delarosa
delatorre deleon delgadillo delgado dell delong deloach delossantos deluca demarco demers deming dempsey denham denney
dennis dennison denny denson dent denton depew derrick desai desimone destefano devine devito devlin devries dewey
dewitt dexter dial diamond dias diaz dick dickens dickenson dickerson dickey dickinson dickman dickson diehl dietrich
dietz diggs dill dillard diller dillon dills dimas dinh dion dixon do doan dobbins dobbs dobson dockery dodd dodds
dodge dodson doe doherty dolan domingo dominguez domingues donahue donaghue donald donaldson donato donnell donnelly
donner donohue donovan dooley doran dorman dorn dorris dorsett dorsey dotson doty doucette dougherty doughty douglas
douglass dove dover dow dowd dowdy dowell dowling downes downey downing downs doyle dozier drake draper drayton
drennan drew driscoll driver drummond drury duarte dube dubois duckett duckworth dudley duff duffy dugan dugas duggan
duke dukes dumas dumont dunaway dunbar duncan dunford dunham dunkin dunlap dunleavy dunlop dunmore dunn dunne dunning
dupont dupre dupree dupuis duran durand durant durbin durham durkin durr duval dutton duvall dwyer dyckman dye dyer
dykes dyson eads eagle earl earle earley early earp easley eason east easter easterling eastman easton eastwood eaton
ebert eby eccles echols eckert eddy edge edgar edmond edmonds edmondson edmunds edwards egan egbert eggleston ehlers
eldred eldridge elias elizondo elkins ellington elliot elliott ellery ellis ellison ellsworth elmore elrod elston
elton elwell ely emerson emery emmons encinas engel england engle english engstrom ennis enos enriquez ensley epperson
epps epstein erb erdman erickson ericson eriksen ernst erskine ervin erwin escalante escamilla escobar escobedo eskew
esparza espinal espinosa espinoza esposito esquivel estep estes estevez estrada etheridge etter eubanks eugene evans
everett everhart evers everson ewing ezell faber fagan fahey fain fair fairbanks fairchild faircloth fairfax fairfield
fairley falcon falk fallon falls fanning farber faris farley farmer farnham farnsworth farr farrar farrell farrington
farris farrow faulk faulkner faust favors fay fears fee feeney felder feldman feliciano felix fell feller fellows
felton fenn fennell fenner fenton fenwick ferguson fernandes fernandez ferrante ferrara ferrari ferraro ferreira
ferrell ferrer ferrera ferris ferry fielder fielding fields fierro figueroa finch fincher findley fine fink finley
finn finnegan finney fischer fish fisher fisk fiske fitch fitts fitzgerald fitzpatrick fitzsimmons flagg flaherty
flanagan flanders flanigan flannery fleck fleischer fleming fletcher flint flood florence flores florez flowers floyd
flynn foley follett fong fonseca fontaine fontana fontenot foote forbes ford foreman forest forester forman forrest
forrester forsyth forsythe fort forte fortenberry fortier fortin fortner fortune foss foster fountain fournier foust
fowler fox foy fraley frame france francis francisco franco francois frank franke frankel franklin franks frantz franz
fraser frasier frazer frazier frederick fredericks fredrickson freed freedman freeland freeman freese freitas french
frey freund frias frick friedman friend fries fritsch fritz frost fry frye fuchs fuentes fuller fullerton fulmer
fulton funderburk fung funk furman gable gabriel gaddis gaddy gage gagne gagnon gaines gainey gaither galarza
galbraith gale gales gallagher gallant gallardo gallegos galindo galloway gallo galvan galvez galvin gamble gamboa
gamez gandy gann gannon gant gantt garber garcia gardiner gardner garland garner garnett garrett garris garrison
garrity garvey garvin gary garza gaskin gaskins gass gaston gates gatewood gatlin gauthier gavin gay gaylord gaytan
gee geary geiger geisler gentile gentry george gerard gerber gerlach german gerrard getz gibbons gibbs gibson giddens
gifford gil gilbert gilbertson gilchrist giles gill gillen gilles gillespie gillette gilley gilliam gilliland gillis
gilman gilmore gilmour gilpin gilson ginn giordano gipson girard givens gladden gladstone glaser glass gleason glenn
glick glover glynn gobel goddard godfrey godinez godoy godwin goebel goetz goff goforth goins gold goldberg golden
goldfarb golding goldman goldsmith goldstein gomes gomez gonsalves gonzales gonzalez gooch good goodall goode goodell
gooden goodman goodrich goodson goodwin gordon gordy gore gorham gorman gorton goss gossett gough gould goulet gove
grabowski grace grady graf graff gragg graham granado granados grand granger grant grantham graves gray grayson
greathouse greco greeley green greenberg greene greenfield greenleaf greenlee greenspan greenwald greenway greenwood
greer gregg gregory greiner grenier gresham grey grice grider grier griffin griffis griffith griffiths griggs grigsby
grijalva grimes grimm grimsley grissom griswold groff grogan gross grossman groth grove grover groves grubb grubbs
gruber guajardo guerra guerrero guest guevara guidry guillen guillory guinn gulley gunderson gunn gunter gurley
gustafson guthrie gutierrez guy guyton guzman haag haas hackett hacker hackney haddad hadden hadley hagan hagen hager
haggard haggerty hague hahn haight haines hairston halcomb hale haley hall hallam haller hallett halliday hallman
hallmark halloran halsey halstead halverson ham hamblin hamby hamel hamer hamill hamilton hamlett hamlin hamm hammack
hammer hammett hammock hammond hammonds hampton hamrick han hancock hand handley handy hanes haney hankins hanks
hanley hanlon hanna hannah hannan hannon hansen hanson hapgood harbin hardaway harden harder hardesty hardin harding
hardison hardman hardwick hardy hare hargis hargrave hargrove harker harkins harkness harlan harley harlow harman
harmon harms harness harp harper harrell harrelson harriman harrington harris harrison harrold hart harter hartley
hartman hartmann hartwell harvey harwell harwood haskell haskins hass hassan hastings hatch hatcher hatfield hathaway
hatton haugen havens hawes hawk hawkes hawkins hawks hawley hawthorn hawthorne hay hayden hayes haynes hays hayward
haywood hazel hazard hazen head headley heald healey healy heard hearn heart heath heaton hebert heck hecker heckman
hedges hedrick heffernan heflin hein heinrich heinz heller helm helms helton hemphill henderson hendricks hendrickson
hendrix henke henley henning henninger henriques henriquez henry henshaw hensley henson herbert heredia herman hermann
hernandez herndon herr herrera herrick herring herrington herrmann herron hershey hess hester heward hewitt hewlett
hiatt hibbard hickey hickman hickox hicks hidalgo higdon higginbotham higgins higgs high hightower hildebrand
hildebrandt hill hillard hilliard hillman hills hillyer hilton hinds hines hinkle hinojosa hinson hinton hirsch
hitchcock hite hixon ho hoang hobbs hobson hodge hodges hodgson hoff hoffman hoffmann hogan hoge hogue hoke holbrook
holcomb holden holder holdren holiday holland hollander holley holliday hollingsworth hollins hollis hollister
holloman holloway holly holm holman holmes holmgren holt holton holtz hood hook hooker hooks hooper hoover hope
hopkins hopper hopson horan horn hornback hornby horne horner hornsby horowitz horton horvath hoskins hostetler
hotchkiss houck hough houghton house householder houser houston hovey howard howe howell howells howerton howland
hoyle hoyt huang hubbard hubbell huber hubert hudgins hudson huerta huey huff huffman huggins hughes hughey hull
hulsey humes hummel humphrey humphreys humphries hundley hunt hunter huntington huntley hurd hurley hurst hurt hurtado
huskey huston hutchens hutcherson hutcheson hutchins hutchinson hutchison hutton huynh hyatt hyde hylton ibarra
ingalls ingham ingle ingram inman ireland irish irizarry irvin irvine irving irwin isaac isaacs isaacson isom israel
ives ivey ivory jack jackman jackson jacob jacobi jacobs jacobsen jacobson jacques jaeger jaffe jaime jain james
jameson jamison jansen janssen jaramillo jarrett jarvis jasper jay jefferies jeffers jefferson jeffery jeffrey
jeffreys jeffries jenkins jennings jensen jenson jernigan jerome jessup jeter jewell jimenez jobe johansen johanson
johns johnson johnston johnstone joiner jolley jolly jones jordan jorgensen jorgenson joseph joyce joyner juarez judd
judge julian jung justice justus kahn kaiser kaminski kane kang kaplan karr kasper katz kauffman kaufman kaufmann kay
kaye keane kearney kearns keating keaton keck kee keefe keefer keegan keel keeler keeling keen keenan keene keener
keeney keister keith kell kellar keller kelley kellogg kelly kelsey kelso kemp kemper kendall kendrick kendricks kenna
kennedy kenney kenny kent kenyon keough kern kerns kerr kersey kershaw kessler ketchum key keyes keys keyser khan
kibler kidd kidwell kiefer kilgore killian kim kimball kimble kimbrell kimbrough kimmel kincaid kinder king kingsbury
kingsley kinney kinsey kirby kirk kirkham kirkland kirkpatrick kirkwood kirsch kirschner kish kiser kitchen kitchens
klein kline kling klinger knapp knight knott knotts knowles knowlton knox knudsen knudson knutson kobayashi koch
koehler koenig kohl kohler kohn kolb koontz kopp korn kovach kovacs kowalski kozak kraft kramer kraus krause krebs
kremer krieger kroll krueger kruger krug kruse kuhn kumar kunkel kunz kuntz kurtz kwan kwon kyle la labelle lacey
lachance lackey lacroix lacy ladd lafleur lafontaine lai laird lake lam lamb lambert lamberts lamont lamothe lancaster
lance land landers landis landon landrum landry landsman lane lang lange langdon langford langham langley langlois
langston lanham lanier lankford lantz lapierre laplante lapointe lara large larkin larkins larocque larose larsen
larson larue lash lassiter laster latham lathrop latimer lattimore lau lauer laughlin laurent lavallee lavoie law
lawler lawless lawlor lawrence laws lawson lawton lay layman layne layton lazar le leach leahy leal lear leary leavitt
leblanc leclair leclerc ledbetter ledesma ledford ledoux lee leeds leeper lees lefebvre legg leggett lehman lehmann
leigh leighton leiva leland lemaire lemay lemieux lemke lemon lemons lenz leon leonard leone lerma lerner leroy leslie
lester leung levesque levin levine levinson levy lewandowski lewis li liddell light lightfoot liles lilly lim lima lin
lincoln lind linder lindberg lindgren lindley lindquist lindsay lindsey lindstrom linares lineberger link linn linton
lippincott lipscomb lister liston litchfield little littlefield littleton liu livingston livingstone llamas llanes
lloyd lo locke lockett lockhart locklear lockridge lockwood loftin loftis loftus logan logue loman lomax lombard
lombardi lombardo london long longo longoria loomis looney lopes lopez lord lorenz lorenzo lott louis love lovejoy
lovelace loveless lovell lovett loving low lowe lowell lowery lowman lowry loy loyd lozano lu lucas lucero luciano
luckett lucio ludlow ludwig luevano lugo lujan luke lumpkin luna lund lundberg lundgren lundy lunsford luong lupton
lusk luther lutz luu lux ly lyle lyles lyman lynch lyne lynn lyon lyons lytle ma maas mabe mabry macarthur macdonald
mace macedo macgregor machado macias mack mackay mackenzie mackey mackie mackinnon macklin macleod macmillan macneil
macpherson madden maddox madera madison madrid madrigal madsen magana magee maguire mahan maher mahon mahoney mai
maier main major majors maki maldonado malik mallory malloy malone maloney mancini mancuso mandel maness mangum manley
mann manning manns mansfield manson manuel manzo maples marble marcelino march marchand marcotte marcum marcus mares
marin marino marinelli marion mark markham markle markley marks marlow marlowe marquez marr marrero marroquin marsh
marshall marston martell marten martens martin martindale martineau martinez martino martins martinson martz marvin
marx mascarenas mason massa massey massie masters masterson mata mateo mather mathers matheson mathew mathews mathias
mathis matlock matos matson matta mattern matthew matthews mattingly mattison mattos mattson maurer mauro maxey
maxfield maxwell may maye mayer mayers mayes mayfield mayhew maynard mayo mays maze mazur mcadams mcafee mcalister
mcallister mcarthur mcbride mccabe mccaffrey mccain mccall mccallum mccann mccarter mccarthy mccartney mccarty
mccauley mcclain mcclanahan mccleary mcclellan mcclelland mcclendon mcclintock mccloskey mccloud mcclure mccollum
mccombs mcconnell mccord mccorkle mccormack mccormick mccoy mccracken mccrary mccray mccready mccullough mccurdy
mccutcheon mcdaniel mcdermott mcdonald mcdonnell mcdonough mcdougal mcdougall mcdowell mcduffie mcelroy mcevoy mcewen
mcfadden mcfarland mcfarlane mcgary mcgee mcghee mcgill mcginnis mcgovern mcgowan mcgrath mcgraw mcgregor mcgrew
mcguire mchugh mcinnis mcintire mcintosh mcintyre mciver mckay mckee mckeever mckelvey mckenna mckenney mckenzie
mckeon mckeown mckinley mckinney mckinnon mckinzie mckissick mcknight mclain mclaren mclaughlin mclean mcleod mcmahan
mcmahon mcmanus mcmaster mcmichael mcmillan mcmillen mcmillian mcmullen mcmurray mcmurtry mcnabb mcnair mcnally
mcnamara mcnamee mcneal mcneil mcneill mcnulty mcphee mcpherson mcqueen mcrae mcreynolds mcswain mcvey mcwhorter
mcwilliams mead meade meador meadows means mears mebane medeiros medina medley medlin medlock medrano meehan meek
meeker meeks mehta meier mejia melancon melendez mello melo melton melvin melville mena mendenhall mendes mendez
mendoza menendez mercado mercer merchant mercier mercury meredith merino merkel merrell merrick merrill merriman
merritt merryman merriweather mesa messer messick messina messenger metcalf metz metzger metzler meunier meyer meyers
meza michael michaels michaud michel mickens middleton mielke mikell milam milan milburn miles millar millard millen
miller milligan milliken mills millsap milne milner milton mims miner minnick minor minter minton miranda mireles
mitchell mitchum mixon mize mobley mock moe moeller moffett moffitt mohr molina moll moller monaghan monahan monk
monroe montague montalvo montana montano monte montero montes montez montgomery montiel montoya moody moon mooney
moore moorer moorehead mora morales moran moreau morehead moreland morell moreno morey morgan moriarty morin morley
morphew morrell morrill morris morrison morrissey morrow morse mortensen mortenson morton mosby moseley moser moses
mosher mosley moss mota motley mott moulton mount moya moyer mudd mueller muir mulcahy mulder muldoon mulholland mull
mullen mullens muller mulligan mullin mullins mullis mulvey mumford muncy mundy munguia muniz munn munoz munro munroe
munson murdoch murdock murillo murphree murphy murray murrell murrieta murry musgrave musgrove musser musselman myers
myles myrick nabors nadeau nagel nagle nagy najera nakamura nance napier naquin naranjo nash nation nava navarrete
navarro naylor neal neale nealy needham neeley neely neff negrete negron nehls neighbors neil neill nelligan nelms
nelson nesbit nesbitt nesmith ness nestor nettles neuman neumann nevarez neville nevin newberry newby newcomb newell
newhouse newkirk newland newlin newman newport newsom newsome newton ney ng ngo nguyen nicholas nicholls nichols
nicholson nickel nickels nickerson nicolas niles nielsen nielson nieto nieves nissen nix nixon noble nobles noe noel
nolan noland nolen noll nolte noonan nord norman norris north northcutt northrop northrup norton norwood novak nowak
nowlin noyes nugent null nunes nunez nunley nunn nutter nye nystrom oakes oakley oaks oates oberg obrien obryan
obryant ocampo ochoa oconnell oconner oconnor oday odell oden odom odonnell odum offutt ogden ogle oglesby ogletree
ohara oh ojeda okeefe olds oleary oliva olivares olivarez olivas oliveira oliver olivera olivo olmos olmstead olsen
olson olvera omalley oneal oneil oneill ontiveros oquinn ordonez orellana orlando ornelas orosco orourke orozco orr
orta ortega ortiz orton osborn osborne osburn osgood oshea osorio osullivan oswald otero otis otoole ott otto
ouellette outlaw overby overman overstreet overton owen owens owings oxford oyler pace pacheco pack packard padgett
padilla padron pagan page pagano paige painter paiz palacio palacios paley palermo palma palmer palomo pantoja pape
pappas paquette paradis pardo paredes parent paris parish park parker parkhurst parkin parkins parkinson parks parmer
parnell parr parra parris parrish parrott parry parson parsons partin partlow partridge pascal paschall pasqual pate
patel paterson patino patrick patten patterson patton paul paulino paulk paulsen paulson paxton payne payton paz peace
peacock peak peake pearce pearl pearson pease peck pedersen pederson peebles peek peel peeples pelletier pellegrino
pelton pemberton pena pence pender pendergast pendergrass pendleton penn pennell pennington penrod penrose peoples
pepper peralta percival percy perdomo perdue pereira perez perkins perlman perreault perrin perrine perron perry
perryman person peter peterman peters petersen peterson petit petrie petrov petty pettit pettway peyton pfeiffer pham
phan phelan phelps phifer philip philips phillip phillips phipps piazza pickard pickens pickering pickett pico piedra
pierce pierre pierson pike pilgrim pimentel pina pinckney pineda pinkerton pinkston pinto piper pippin pitman pitre
pitt pittman pitts place plant plante plata platt pleasant plummer plunkett poe pogue pohl poindexter pointer poirier
poland polanco polk pollack pollard pollock ponce pond ponder pool poole poore pope popp porras porter portillo posada
posey post poston poteet potter potts poulin pound powell power powers prado prater prather pratt pray preciado
prentice prescott presley preston prewitt price prichard pride pridgen priest prieto prince prindle pringle prins
pritchard pritchett privett probst proctor proffitt prosser proulx prouty provost pruett pruitt pryor puckett puente
pugh pulido pulley pulliam purcell purdy purnell purvis putman putnam pyle pyles quach quarles quezada quick quigley
quiles quimby quinlan quinn quinones quintana quintanilla quintero quiroga quiroz raby rader radford rae rafferty
ragan ragland ragsdale raines rainey rains raley ralph ralston ramey ramirez ramon ramos ramsay ramsey rand randall
randle randolph raney rangel rankin ransom rapp rasmussen ratcliff ratliff rauch raven ravenscroft rawlings rawlins
ray raya rayburn raymond rayner razo rea read reader reardon reaves reavis rector redd redden redding reddy redman
redmond reece reed reeder reedy rees reese reeve reeves regalado regan register rego rehm reich reichert reid reilly
reiner reinhardt reinhart reis reiter rembert remington rendon renfro renner reno renteria renteria reuter revels rex
rey reyes reyna reynolds reynoso rhea rhoades rhoads rhodes ricci rice rich richard richards richardson richey richie
richmond richter rickard ricker ricketts ricks rico riddell riddick riddle ridenour rider ridgeway ridley riedel
riggins riggs rigsby riley rinaldi rinehart ring rios ripley risner ritchey ritchie ritter rivas rivera rivero rivers
roach roark robb robbins roberge robert roberts robertson robin robins robinson robison robles robson roby rocha roche
rochelle rock rockwell rodarte roden rodgers rodman rodrigue rodrigues rodriguez rodriquez roe roeder rogers rohr
rojas roland roldan rollins roman romano romeo romero romo roney rooney root roper roque rosa rosado rosales rosario
rosas rose rosen rosenbaum rosenberg rosenberger rosenthal ross rosser rossi rossman rosson roth rothman rouse roush
rousseau roussel rowan rowe rowell rowland rowlett rowley roy royal royce royer rubin rubio rucker rudd rudolph rudy
rueda ruffin ruggiero ruiz rumsey runyon rupp rush rushing ruskin russ russell russo rust ruth rutherford rutland
rutledge ryan ryder rye saavedra sabin sadler saenz sager sahagun saiz salas salazar salcedo saldana saldivar salerno
salgado salinas salisbury salmon salter salvador sam samples sampson sams samson samuel samuels samuelson san sanborn
sanchez sandberg sander sanders sanderson sandoval sands sanford sanger santana santiago santillan santoro santos sapp
sargent sartain sasser satterfield sauer saucedo saul saunders savage savoy sawyer sax saxon saxton sayers saylor
sayre scales scanlan scanlon scarborough schaefer schafer schaffer scharf schell schenck scherer schilling schindler
schlosser schmid schmidt schmitt schmitz schneider schoen scholl scholz schrader schramm schreiber schroeder schubert
schuler schulte schultz schulz schumacher schuman schuster schwab schwartz schwarz scofield scoggins scott scott
scribner scruggs scully seaman searcy sears seaton seay sebastian sedillo seeley segal segura seibert seidel seiler
seitz self sell sellers sells seltzer sena senn sepulveda serna serrano sessions settle settles severson sewell sexton
seymour shackelford shafer shaffer shah shane shank shanks shannon shapiro sharkey sharma sharp sharpe shaver shaw
shay shea shearer sheehan sheets sheffield shelby sheldon shell shelley shelton shepard shephard shepherd sheppard
sheridan sherman sherrill sherrod sherry sherwood shields shin shinn shipley shipman shipp shirley shivers shockley
shoemaker shook shore short shorter shott shoup shrader shreve shuler shull shultz shumaker shuman shumate sides sidhu
siegel sierra sigler sigmon sikes silva silver silverman silvers silverstein silvia simmonds simmons simms simon
simons simonson simpkins simpson sims sinclair singer singh singleton sipes sisk sisson sizemore skaggs skelton
skidmore skinner slack slade slagle slater slaton slaughter sloan slocum small smalley smalls smallwood smart smiley
smith smithson smoot smyth smythe snead sneed snell snider snipes snodgrass snow snowden snyder solano solis solomon
somers somerville sommer sommers song sorensen sorenson soria sorrell sorrells sosa soto sousa south southard southern
southworth souza sowell sowers spain spalding spangler sparkman sparks sparrow spaulding spear spears speer spellman
spence spencer sperry spicer spiegel spiller spillman spinks spivey spooner spradlin sprague spriggs springer sprinkle
sprouse spruill spurgeon spurlock squire squires staats stack stacy stafford stahl staley stallings stallworth stamper
stamps stanfield stanford stanger stanley stanton staples stapleton stark starke starkey starks starling starnes starr
stauffer stclair steadman stearns steed steel steele steen steffen stein steinberg steiner stella stengel stephen
stephens stephenson sterling stern sterns stevens stevenson steward stewart stidham stiles still stillman stillwell
stiltner stinnett stinson stitt stockdale stockman stockton stoddard stoker stokes stoll stoltz stone stoner storey
storm story stott stouffer stout stovall stover stowe stowell strand strange stratton straub strauss street streeter
stricker strickland stringer strong strother stroud stroup struble stuart stubblefield stubbs stuckey sturdivant
sturgeon sturgill sturgis sturm styles suarez suggs sullivan summerlin summers sumner sumpter sumter sun sundberg
surratt sutherland sutter sutton suzuki swafford swain swan swaney swank swann swanson swartz swearingen sweat sweeney
sweet sweeten swenson swift swindle swisher switzer swope sykes sylvester tabb tabor tackett taft taggart talbert
talbot talbott taliaferro tallent talley tam tamayo tanaka tandy tang tanner tapia tapp tarver tate tatem tatum taube
taylor teague teal tebbetts tejada tellez tello temple templeton tenney terrell terry terwilliger thacker thao
thatcher thayer theriot thibodeau thibodeaux thiel thigpen thomas thomason thomasson thompson thomson thorne thornburg
thornton thorp thorpe thrasher thurman thurston tibbetts tice tidwell tierney tiller tillery tilley tillman tilton
timm timmons tindall tinsley tipton tirado tisdale titus tobias tobin todd tolbert toledo tolentino toler toliver
tolliver tomlin tomlinson tompkins toney tong toro torres torrez toth tovar tower towers towne townes townsend
townshend tracey tracy trahan trammell tran trapp travers travis traylor treadway treadwell trejo tremblay trent
trevino tribble trimble trinidad trinh triplett tripp trotter trout troutman trowbridge troy trudeau trueblood truitt
trujillo truong truman tsai tubbs tucker tuggle tull tully turk turley turnbull turner turney turpin tuttle tweed
twitty tyler tyree tyson ulrich underhill underwood unger upchurch upshaw upton urban urbina uribe urquhart valadez
valdes valdez valdivia valencia valentin valentine valenzuela valle vallejo valles vance vandyke vang vann vargas
varela varga varner vasquez vaughan vaughn vaught vazquez vega vela velasco velasquez velazquez velez venable venegas
ventura vera verdin vernon vester vetter vick vickers vickery victor vidal vieira viera villa villalobos villanueva
villareal villarreal villegas vincent vines vinson vitale vo vogel vogt voigt volk vollmer voss vu wacker waddell wade
wadsworth waggoner wagner wagoner wahl waite wakefield walden waldman waldron waldrop wales walker wall wallace wallen
waller walling wallis walls walsh walston walter walters walton wampler wang ward warden ware warfield warner warren
warrick warrington washburn washington wasserman waterman waters watkins watson watt watters watts waugh way wayne
weathers weatherford weaver webb webber weber webster wechter weddle weed weeks weems weiner weinstein weir weis weiss
welborn welch weldon weller wellman wells welsh wendt wentworth wenzel werner wertz wesley west westbrook westbrooks
westcott weston wexler whalen whaley wharton wheatley wheaton wheeler whelan whipple whisenant whitaker whitcomb white
whited whitehead whitehouse whitehurst whiteman whitesell whiteside whitfield whitford whiting whitley whitlock
whitlow whitman whitmire whitmore whitney whitson whitt whittaker whitten whittington whitworth whyte wick wicker
wickham wicks widener wiese wiggins wilbanks wilber wilbur wilburn wilcox wild wilde wilder wiles wiley wilhelm
wilhite wilkerson wilkes wilkins wilkinson wilks will willard willett willey william williams williamson williford
willingham willis willison willoughby wills wilmot wilson wilt wilton wimberly winchester windham windsor winfield
winfrey wing wingate wingfield winkler winn winslow winstead winston winter winters winton wirth wise wiseman
wisniewski witherspoon withers witt witte wolf wolfe wolff womack wong woo wood woodall woodard woodbury woodcock
woodfin woodford woodhouse woodley woodman woodruff woods woodson woodward woodworth woody wooldridge wooten work
workman worley worrell worsham worth wortham worthington worthy wray wren wright wu wyant wyatt wyche wylie wyman wynn
wynne xiong xu yager yamamoto yancey yanez yang yarbrough yarrow yates ybarra yeager yeates yee yeh yi yoder yoon york
yost young youngblood younger youngs yount yu zambrano zamora zapata zarate zavala zeigler zeller zhang zhao zheng
zhou zhu ziegler zielinski zimmer zimmerman zuniga
aalto aaltonen abe achterberg aguiar ahlberg ahlgren akerman alves amaral andresen antonov arslan asano aslan aydin
baez baggio bakker barros beck bengtsson bergamo berglund bertolini bianchi bjork blom boer boersma bogdanov bonnet
borisov bos bosch bosman bouman brandao braga brink brouwer bruun cabrera carvalho castelli celik chevalier cohen
colombo conti costa coppola crespo danielsen dekker demir deschamps dijk dijkstra dogan duval eklund ekstrom eriksson
ericsson fabre faria ferrari fontana forsberg franke fredriksson fujita gallo garnier gatti georgiou gerritsen giraud
gonzaga grasso greco gruber gunther gustafsson haapala haddad hakansson halvorsen hansson haugland hayashi heikkinen
heinonen hendriks hermans hiraga hoekstra hofer holmberg hoogland horak hovland huber ibrahim inoue ito ivanov ivanova
jacobsson jansson janssens jensson johannsen johansson jokinen jonsson joshi jovanovic kaplan kapoor karlsson kato
kaya keller khalil kimura kiss klausen koivisto kok kozlov kozlowski krishnan kristensen kristiansen kuznetsov
kuznetsova kwak laine laitinen lange lazarev leroux lemoine lindholm lundqvist magnusson makinen malmberg mancini
mansour marchetti mariani marini
maes martens matsumoto mazzini meijer menard meyers michalski mikkelsen moretti morozov moser mulder murakami murata
nair nemeth nguyen nieminen nikolaou nikolov nilsson nilsen noguchi novotny nyberg oconnor okada olofsson olsson
oliveira orlov ostergaard ozturk palmieri papadopoulos papadakis park pavlov pavlova peeters pellegrini persson
petersson petrov petrova petrovic peters pinheiro popescu popov popova prins poulsen rahman ramaswamy rao rasmussen
reddy reinders ricci richter rinaldi rizzo romano rossi rousseau ruiz rybak saari saito salonen sato savic schipper
schmitz schouten schreuder schuurman sergeyev shevchenko silva simonsen sjoberg skov smirnov smirnova smit sokolov
sokolova soares sorensen stefanov stoica suzuki svensson szabo szymanski takahashi tanaka teixeira thomsen thorsen
toivonen tremblay tsukamoto vasiliev vasilev verhoeven vermeulen vinci virtanen visser volkov volkova vos wagner walch
wallin watanabe weber westerberg willems wouters wojcik yamada yamaguchi yildiz yilmaz yoshida zanetti zhukov
zielinski
`;

/** Spellings of one surname that no phonetic rule equates: one name per line. */
export const surnameSpellings = `
smith smyth smythe smithe
thompson thomson tompson
pearce pierce peirce
reynolds renolds raynolds
fischer fisher
meyer meier maier mayer myer
nielsen neilsen
rhodes rhoades rhoads
schwartz schwarz swartz shwartz
clark clarke
brown browne
green greene
allen allan
philips phillips philipps phillipps
stewart stuart
reed reid read reade
gray grey
lee leigh lea
snyder snider
schmidt schmitt schmid
hoffman hoffmann hofmann hofman
kaufman kauffman kaufmann
hughes hughs hewes
burns
byrne burn
connor conner
oconnor oconner
oneil oneill oneal
neil neill neal neale
macdonald mcdonald
mclean maclean mclain
mckenzie mackenzie
mckay mackay
mcleod mccloud
sheppard shepherd shepard shephard sheperd
lindsay lindsey
kelly kelley
kearney karney
bailey bayley baily bailie
haley hailey
davidson davison
dixon dickson
jeffries jefferies jeffreys
matthews mathews
nichols nicholls nicols
simms sims
simon symon
simons symons simmonds symonds
gonzales gonzalez
rodriguez rodrigues rodriquez
hernandez hernandes
fernandez fernandes
martinez martines
sanchez sanches
lopez lopes
perez peres
gomez gomes
ramirez ramires
gutierrez gutierres
valdez valdes
velasquez velazquez
vasquez vazquez
cortez cortes
chavez chaves
espinosa espinoza
nunez nunes
jimenez ximenez gimenez
estevez esteves
mendez mendes
alvarez alvares
suarez suares
miller millar
morrison morison
maddox maddux
monroe munro munroe
johnston johnstone
cook cooke
cole coale
carr
cohen cohn kohen coen
levy levi levey
levine levin lavine
schultz schulz shultz shulz
shaffer schaffer schaefer shafer schafer schaeffer shaefer
snell
kramer cramer
krause krauss kraus
kruger krueger
koehler kohler
mueller muller
schroeder schroder
zimmerman zimmermann
bauman baumann
wolf wolfe wolff woolf woolfe
weiss weis
klein kline cline
stein steine
stevens stephens
stevenson stephenson
tailor taylor tayler
turner tourner
tyler tiler
wright
white whyte
whitaker whittaker
wilkins willkins
winn wynn wynne
wyatt wiatt
young younge
yates yeats
zeigler ziegler
abbott abbot abot
barret barrett barratt
bennet bennett
beatty beattie
berry berrie
boyd boid
burke bourke berke
caldwell cauldwell
callahan callaghan
carey cary
carroll carrol
cavanaugh cavanagh kavanagh kavanaugh
christie christy
cochran cochrane
coleman colman
collier colyer
connolly connelly conolly
cummings cummins
curry currie
daly daley dailey
dougherty doherty daugherty
donahue donohue donoghue
dunn dunne
edmonds edmunds
elliott elliot eliot eliott
evans evens
farrell farrel
ferguson fergusson
finley findlay finlay findley
forsyth forsythe
francis franses
frazier fraser frasier frazer
gallagher gallaher gallager
gardner gardiner gardener
garrett garret
geiger giger
gibbs gibs
gilmore gillmore gilmour
goodwin
graham grahame graeme
griffith griffeth
hayes hays
haynes haines
heard herd
hendricks hendrix
herring hering
hicks hix
hodge
holmes homes
houston huston
howell howel
humphrey humphry
humphreys humphries
hutchinson hutchenson
irvin irvine
jennings jenings
jordan jordon jorden
kennedy kenedy
knowles noles
lawrence laurence
leonard lenard
lewis louis
livingston livingstone
lloyd loyd
lowe low
lowery lowry
lyon
lynn lynne
marsh
maxwell maxwel
mckinley mackinley
mccarthy mccarty
mccormick mccormack
mcdonnell macdonnell
mcgee mcghee
mcmillan mcmillen macmillan
mcneil mcneill macneil
mcpherson macpherson
mitchell mitchel
moore moor more
murphy murphey
murray murry
osborn osborne osbourne
owens
parish parrish
patterson paterson
payne paine pain
perkins purkins
pollock pollack
porter portor
powell powel
pritchard prichard
pruitt pruett prewitt
quinn quin
randall randal randle
ramsey ramsay
reilly riley rielly
robertson robbertson
robinson robbinson
rogers rodgers
ross rosse
rowe row roe
russell russel
ryan rian
sanders
sawyer sawer
sharp sharpe
shea shay
sherwood shurwood
short shorte
sinclair stclair
stark starke
steel steele
stone stoan
strauss straus
sutherland southerland
swan swann
terrell terrill
thorne thorn
thorpe thorp
todd tod
townsend townshend
tracy tracey
trevino trevinyo
tucker tooker
vaughn vaughan
wagner
wallace wallis
walsh walshe
waters watters
watt
webb web
webber weber
wells welles
whelan whalen
willis wyllis
willson wilson
wood woode
woods woodes
jacobsen jakobsen
jacobson jakobson
christiansen kristiansen
christensen kristensen
ericson erickson erikson
ericsson eriksson
carlson karlson
carlsson karlsson
nilsson nielsson
zhang chang
zhou chou chow
xu hsu
wang
li lee
cai tsai
huang hwang
zheng
park pak bak
choi choe
kim gim
chung jung jeong
lim yim im rim
kang gang
noh roh
yoon yun
kwon gwon
`;
