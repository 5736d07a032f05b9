/**
 * Given names in use, without diacritics. Only a list shows that two names that differ by a letter are different names
 * (Carl, Carla). Names in the nickname and spelling tables count as known and are not repeated here.
 */
export const masculine = `
aage aaron abbas abdul abel abelardo abner abraham abram adalbert adalberto adam adan addison adolf adolfo adolph
adrian agustin ahmed aidan akira al alain alan albert alberto alden aldo alec alejandro alessandro alessio alex
alexander alexandre alexei alexis alf alfonso alfred alfredo ali allan allen alois alonso alonzo aloysius alphonse
alton alvin alvaro amadeo amadou amari ambrose amir amit amos anatol anders andre andreas andres andrew andrzej andy
angelo angus anil anselm anselmo anson anthony anton antonin antonio apollo ari aric arjun arlen arlo arman armand
armando arne arno arnold arnulfo aron arsenio art arthur arturo arun arvid asa ascher ashok ashton asher atticus
aubrey august augusto aurel aurelio austin avery avi axel aziz bailey baldwin balthazar barnaby barrett barrie barron
barry bart bartosz basil bastian beau ben benedetto benedict benito benjamin bennett benny benoit benson bent bernard
bernardo bernd bernhard bert berthold bertil bertrand bill birger bjarne bjorn blaine blair blaise blake bo bob bogdan
bogumil bohdan boris boyd brad braden bradley brady branko brant braxton brayden brendan brent brett brian brice brock
broderick brody bronson brooks bruce bruno bryan bryant bryce bryson buck bud burl burt burton byron caesar caleb
calvin camden cameron camilo campbell carey carl carlo carlos carlton carmine carroll carson carter cary casey caspar
cassius cecil cedric celestino cesar chad chadwick chandler charles charlie chase chauncey chen chester chi chiyo choi
chris christian christophe christopher chuck ciaran claes clarence claude claudio claus clay clayton clement clemens
cleon cletus cleveland cliff clifford clifton clinton clive clyde cody colby cole colin colm conan connor conrad
constantin constantine cooper corbin cordell corey cormac cornelius cornell cory cosimo cosmo craig cristiano
cristobal cullen curt curtis cyril cyrus dag dale dallas dalton damian damir damon dan dana dane daniel danilo dante
darby darian dario darius darko darnell darrell darren darryl darwin daryl david dawson dean declan deepak deion
delbert dell delmar demetrius denis dennis denny denver denzel derek dermot derrick deshawn desmond dev devin devon
dewayne dewey dewitt dexter diarmuid dick diego dieter dietmar dietrich dilip dimitri dinesh dino dirk dominic
dominique don donald donato donnell donovan dorian doug douglas doyle drago drew duane dudley duke duncan dustin
dwayne dwight dylan eamon earl earnest ed eddie edgar edgardo edmond edmund edoardo eduard eduardo edward edwin efrain
efrem egon eino einar eirik elbert eldon eleazar eli elias eligio elijah elio eliot eliseo elisha ellis elmer elmo
eloy elroy elton elvin elvis elwood emanuel emerson emery emil emile emiliano emilio emmanuel emmett emre enoch enrico
enrique enzo ephraim erasmo erhard eric erich erik erland ernest ernesto ernst errol erskine erwin esteban ethan
etienne eugene eugenio evan evander evaristo everett evert ewan ezekiel ezra fabian fabien fabio fabrice fabrizio
faisal farid farouk faustino federico felipe felix ferdinand ferenc fergus fernand fernando fidel filip filippo finn
finley fletcher florian florentino floyd flynn forrest foster francesco francis francisco franco francois frank
franklin franz fred frederick fredrik fredy friedrich frits fritz fulgencio gabor gabriel gael gaetano gale galen
gareth garfield garland garrett garrison garry garth gary gaspar gaston gaurav gavin gaylord gene genaro geoffrey
georg george gerald gerard gerardo gerd gerhard german gerrit gianluca gideon gil gilbert gilberto giles gino giorgio
giovanni giuseppe glen glenn godfrey gonzalo gordon goran gottfried grady graeme graham grant gregor gregorio gregory
griffin grover guido guillaume guillermo gunnar gunter gunther gus gustaf gustav gustavo guy haakon hadi hadley hakan
hal hamid hamish hamza hank hannes hans hansel harald hari harlan harley harold haroun harris harrison harry hart
hartmut harvey hassan hayden hayes heath hector heinrich heinz helge helmut hendrik henri henrik henry herbert
heriberto herman hermann hernan hershel hideo hiroshi hiram ho holger hollis homer horace horacio horst hosea houston
howard hoyt huang hubert hudson huey hugh hugo humberto humphrey hung hunter hussein ian ibrahim idris ignacio
ignatius igor ike ilya imran ingmar ingo ioan ion ira irvin irving isaac isaiah isaias isak ishmael isidro ismael
israel issac ivan ivar ivo ivor jack jackson jacob jacques jae jaime jake jakob jamal jamar james jamie jamison jan
janos jared jarl jaroslav jarrett jason jasper javier jay jayden jayson jean jed jeff jefferson jeffrey jens jerald
jeremiah jeremy jermaine jerome jerry jesper jess jesse jesus jethro jim jimmy jin jiro jiri joachim joakim joao
joaquin jochen jody joe joel joern johan johann johannes john johnathan jomo jon jonah jonas jonathan jong joost
jordan jordi jorge jorgen joris jose josef joseph josh joshua josiah josue juan judah judd jude jules julian julien
julio julius jun junior jurgen justin justus kai kamal kamil kane kareem karel karim karl karsten kasper kazuo keanu
keegan keenan keith kelby kellen kelvin ken kendall kendrick kenji kenneth kenny kent kenyon kermit kerry kevin khalid
khalil kian kieran kim kip kirby kirk kiyoshi kjell klaas klaus knud knut kofi konrad konstantin kris kristian kristof
kumar kunal kurt kwame kwon kyle lamar lambert lamont lance landon lane lars larry lasse laszlo laurent laurence
laurits lauro lawrence lawson lazaro leandro lee leif leighton leland len lennart lennox lenny leo leon leonard
leonardo leonel leonhard leopold leopoldo leroy les leslie lester lev levi lewis li liam lincoln linus linwood lionel
lloyd logan lon lonnie lorenz lorenzo lothar lou louis lowell luca lucas lucian luciano lucien lucio ludwig luigi luis
lukas lukasz luke luther lyle lyman lyndon mack madison maddox magnus mahmoud malachi malcolm malik manfred manoj
mansoor manuel marc marcel marcelino marcello marcelo marcin marco marcos marcus marek mariano marijn marin mario
marius mark marko markus marlon marshall marten martin martijn marty marvin mason massimo mateo mateusz mathias
mathieu mats matt matteo matthew matthias maurice mauricio maurizio mauro max maxim maxime maximilian maximiliano
maximo maxwell maynard mehmet mel melvin mendel mercer merle merlin merritt merton mervin micah michael michal michel
miguel mihai mikael mike mikhail mikko milan miles milford millard miller milo milos milton minh miroslav misael
mitchell modesto mohammed moises monroe monte montgomery mordecai morgan morris mort mortimer morten morton moses
muhammad murphy murray mustafa myles myron nadir naoki napoleon nasir nate nathan nathaniel ned neil nelson nestor
neville newton nicholas nick nicolas niels nigel nikhil niklas nikola nikolai nikolaus nikos nils ning noah noe noel
nolan norbert norberto norman norris norton nuno obadiah octavio odell odin ola olaf olav ole oleg olin oliver olivier
ollie omar onofre oren orlando orson orville oscar oskar osman osvaldo oswald otis otto ove owen pablo paco palle
palmer panagiotis pancho paolo parker pascal pasquale patrick patricio paul paulo pavel pawel paxton payton pedro
peder percival percy pernell perry peter petr petros peyton phil philip philippe phineas pierce piero pierre piers
pieter pietro pio piotr porfirio porter prakash prentice prescott preston prince przemyslaw quentin quincy quinn
quinton radoslaw rafael raheem rahul rainer raj rajesh rajiv raleigh ralph ramesh ramiro ramon ramsey randal randall
randolph randy raphael rasheed rashid raul ravi ray raymond raymundo reed reece reese refugio reggie reginald
reginaldo reid reinaldo reiner reinhard reinhold rein remy rene renato reuben rex reynaldo rhett rhys ricardo riccardo
rich richard rick ricky rigoberto riley rino roald rob robert roberto robin rocco rocky rod roderick rodger rodney
rodolfo rodrigo rogelio roger rogers rohan roland rolando rolf roman romeo ron ronald ronan ronnie roosevelt roque
rory roscoe ross rowan roy royce ruben rudolf rudolfo rudolph rudy rufus rune rupert russ russell rusty ryan ryder
sabino sal salim salman salomon salvador salvatore sam sami samir samson samuel sander sandor sandro sanford sanjay
santiago santo santos sascha saul saverio scott sean sebastian sebastiano sepp serge sergei sergio seth seung seymour
shane shaun shawn shelby sheldon shelton sherman sherwood sid sidney siegfried siegmund sigmund sigurd silas silvio
simeon simon sinclair slobodan sol solomon soren spencer spiros stacy stan stanislav stanley stavros stefan stefano
stellan sten stephan stephen sterling steve steven stewart stig stuart suleiman sullivan sunil suresh sven svend
sylvester tad tadeusz takashi takeo talbot tanner tariq tate taylor ted teodoro terence terrance terrell terry thad
thaddeus thanasis theo theobald theodor theodore theron thiago thierry thilo thomas thor thorsten thorvald thurman
tiago tibor tim timo timothy titus toby tod todd tom tomas tomasz tommaso tommy tony tor torben tore torsten toshio
travis trent trevor trey tristan troy truman tucker turner ty tycho tyler tyrell tyrone tyson uberto udo ugo ulises
ulrich ulrik ulysses umberto urban uri uriah uriel urs uwe vaclav valentin valentino valerio van vance vasco vasilis
vaughn verne vern vernon vicente victor vidal vijay viktor vikram vince vincent vincenzo virgil virgilio vitaly vito
vittorio vivek vlad vladimir vladislav vojtech volker wade waldemar walid walker wallace wally walter walther ward
warner warren wayne webster wei weldon wendell werner wes wesley weston wilbert wilbur wilburn wilder wiley wilford
wilfred wilfredo wilhelm will willard willem william willie willis willy wilmer wilson wilton winfield winfred winston
wim wojciech wolf wolfgang woodrow wout wyatt wyndham xander xavier yakov yann yannick yasser yehuda yorick yosef
youssef yuri yusuf yves yvon zachary zack zane zbigniew zdenek zeke zeno zev zoltan zoran
adebayo chidi chukwu emeka ikenna kwaku kojo oluwaseun olumide tunde sipho thabo themba mandla tendai jabari kamau
kipchoge haile tesfaye dawit yonas aklilu sekou moussa ousmane mamadou ibrahima cheikh hiroki kenta daichi haruto yuto
satoshi takeshi makoto masao masaru noboru osamu shigeru tadashi yasuo yoshio minho jihoon seojun joon sung hyun young
dong jun wei ming jian hao lei tao bo gang feng long quang tuan dung khoi duc hieu sandeep rakesh mukesh mahesh naresh
ganesh girish harish jagdish kiran mohan nitin pankaj pradeep prashant rohit sachin sameer shankar shyam siddharth
sudhir sumit tarun varun vinay vinod vishal yogesh abhishek aditya ajay akash amar anand aravind ashish gopal krishna
lakshman manish
bilal tahir zahid nadeem naveed rafiq shahid sohail usman waqar yasir zubair adnan asif fahad farhan haider hamza
imtiaz jawad kashif majid nabil omid reza behzad dariush farhad hossein javad kaveh mehdi mehran navid parviz siamak
shahram ramin
`;

/** See {@link masculine}. */
export const feminine = `
abby abigail ada adaline adela adelaide adele adelia adelina adeline adina adriana adrienne agata agatha agneta agnes
agnieszka aida aileen aimee aina aisha aiko akiko alaina alana alanna alba alberta aleida alejandra aleksandra
alessandra alessia alex alexa alexandra alexandria alexia alexis alfreda ali alice alicia alina alisa alisha alison
alissa allegra allison alma almudena alondra althea alva alyssa amalia amanda amara amaya amber amelia amelie america
amie amina amparo amy ana anabel anais anastasia andrea andreea anette angela angelia angelica angelina angeline
angelique angie anika anita anja anjali ann anna annabel annabelle annalisa anne anneke annelies anneliese annemarie
annette annie annika annmarie anouk antje antoinette antonella antonia anya april araceli arabella arielle arlene
arleen arline armida artemis asa ase ashley asta astrid athena aubrey audra audrey augusta aurelia aurelie aurora
autumn ava aviva ayesha ayumi azucena barbara barbro basia bea beata beatrice beatriz becky belen belinda bella
benedetta benita berenice bernadette bernadine bernice berta bertha beryl bess bessie beth bethany betsy bette betty
bettye beulah beverly bianca billie birgit birgitta birgitte birte blanca blanche blythe bobbie bonita bonnie bozena
brandi brandy branka breanna brenda briana brianna bridget brigitta brigitte brita britt britta brittany bronwyn brook
brooke brunhilde caitlin callie calista camila camilla camille candace candice candida candy cara caridad carin carina
carissa carla carlota carlotta carly carmela carmella carmen carol carola carole carolina caroline carolyn carrie
casey cassandra cassidy cassie catalina catarina caterina catherine cathleen cathy cecile cecilia cecily celeste celia
celina celine chana chandra chantal charity charlene charlotte charmaine chelsea cher cheri cherise cherry cheryl
cheyenne chiara chika china chiyoko chloe chris christa christel christiane christie christina christine christy ciara
cindy claire clara clarice clarissa claudette claudia claudine clea clementina clementine cleo clotilde cloris colette
colleen concepcion concetta connie constance constanza consuelo cora coral coralie cordelia corinne cornelia corrine
courtney cristina crystal cynthia dagmar dagny dahlia daisy dalia dana danica daniela daniella danielle danuta daphne
dara darcy daria darla darlene dasha dawn deana deanna deanne debbie deborah debra dee deena deidre deirdre delfina
delia delilah delma della delores delphine demetria dena denise desiree despina devika diana diane dianna dianne dina
dinah dixie dolly dolores dominga dominique dona donatella donna dora doreen doretta doris dorit dorothea dorothee
dorothy dorte dory dottie drusilla dulce eda eden edie edith edna edwina effie eileen eila eira elaine elayne eleanor
eleanora elena eleni eleonora elfriede eliana elida elin elina elinor elisa elisabeth elisabetta elise elissa eliza
elizabeth elke ella elle ellen ellie elma elmira eloisa eloise elsa else elsie elspeth elva elvira emelia emelie
emerald emi emiko emilia emilie emily emma emmeline emmy ena enid enriqueta eppie erica erika erin erma erna ernestina
ernestine ersilia esmeralda esperanza estela estelle ester esther ethel etta eudora eugenia eugenie eula eulalia
eunice eva evangelina evangeline eve evelina eveline evelyn evita fabiola faith fanny fatima faustina fay felicia
felicitas felicity fern fernanda fidelia filomena fiona flavia fleur flora florence florencia florine frances
francesca franca francine francisca francoise franziska freda frederica freya frida frieda fumiko gabriela gabriele
gabriella gabrielle gail gayle gemma genevieve genoveva georgette georgia georgiana georgina geraldine gerda germaine
gerlinde gertrude gertrud ghislaine gianna gilda gillian gina ginette ginger ginny giorgia giovanna gisela giselle
gita gitte giulia gladys glenda glenna gloria golda grace gracia graciela grazia grazyna greta gretchen gretel grethe
griselda gro guadalupe gudrun guillermina gunilla gwen gwendolyn gwyneth haley halina halle hana hanna hannah hanne
hannelore hannele harriet harriett hattie hayley hazel heather hedda hedwig hedy heidi heike helen helena helene helga
hella heloise henrietta henriette hermine herminia hermione hertha hilaria hilda hilde hildegard hilary hillary hiroko
holly honor hope hortense hortensia hulda ida idalia iesha ilana ilona ilse imelda imogen imogene ina india indira
ines inez inga inge ingeborg ingrid inmaculada iona ione ira irena irene irina iris irma irmgard isa isabel isabella
isabelle isadora iva ivana ivette ivonne ivy izabela jacinta jackie jaclyn jacqueline jada jade jadwiga jami jamie jan
jana jane janelle janet janette janice janie janina janine janna jantje jasmine jaya jayne jean jeanette jeanie
jeanine jeanne jeannette jelena jemima jen jenna jennie jennifer jenny jeri jerri jessica jessie jewel jill jillian jo
joan joana joanna joanne joceline jocelyn jodi jodie jody joelle johanna jolanda jolanta jolene jolie joni jordan
jorunn josefa josefina josephine josie joy joyce juana juanita jude judith judy julia juliana julianna julianne julie
julieta
juliet juliette june jutta kaitlyn kaja kamala kara karen kari karin karina karla karolina karyn kasia katarina
katarzyna kate katelyn katerina katharina katherine kathleen kathy katie katja katrin katrina katya kay kaya kayla
kayleigh kaylee keiko keisha kelly kelsey kendra keri kerry kerstin khadija kiana kiersten kim kimberly kinga kira
kirsten kirsti kirstie kirstin kitty klara klaudia konstanze kris krista kristen kristi kristin kristina kristine
krystal krystyna kyoko kyra lacey lakeisha lakshmi lana lara larissa latasha latisha latonya latoya laura lauren
laurel lauretta laurie lavinia lavonne layla lea leah leanna leanne leila lela lelia lena lenora lenore leona leonie
leonor leonora leontine leslie leta leticia letitia lexi liana libby lidia liesel lila lili lilia lilian liliana lilli
lillian lilly lily lina linda lindsay lindsey linette linnea lisa lisbeth lise liselotte lissa liv livia liz liza
lizbeth lizzie loida lois lola lolita lona lora lorena loreta loretta lori lorie lorna lorraine lotte lottie lou
louella louisa louise lourdes luana luann luba lucia luciana lucie lucienne lucila lucille lucinda lucja lucrecia
lucretia lucy ludmila ludmilla luisa luise lula lupe luz lydia lyla lynda lyndsey lynette lynn lynne lyudmila mabel
mable machiko mackenzie maddalena madeleine madeline madge madison mae maeve magda magdalena maggie magnolia mai maia
maida maja malena malgorzata malia malika mallory malvina mamie mandy mara marcela marcella marcelle marcia mareike
maren margaret margarita margaux marge margery margherita margie margit margo margot margret margrethe marguerite mari
maria mariah mariam marian mariana marianna marianne maribel maricela marie mariela marietta mariette marika mariko
marilena marilou marilyn marina marisa marisela marisol marissa marit marita marjorie marla marlena marlene marlies
marsha marta martha marthe martina mary maryann maryanne marylou mathilda mathilde matilda mattie maud maude maura
maureen mavis maxine maya may mayra meera meg megan meghan mei melanie melba melina melinda melisa melissa melody
mercedes mercy meredith merete merle merry meta mette mia micaela michaela michele micheline michelle michiko mie mika
mila milada milagros mildred milena millicent millie mimi mina mindy minerva minna minnie mira mirabel miranda
mireille mirella miriam mirjam mitsuko mitzi moira mollie molly mona monica monika monique morgan muriel mya myra
myriam myrna myrtle nada nadezhda nadia nadine nancy nanette naoko naomi narcisa natalia natalie natasha nathalie neha
nell nellie nelly nena nerea neva nicola nicole nicolette nicoletta nieves nikki nilda nina ninette nita noa noelia
noelle noemi nola nona nora noreen norma nuria nydia octavia oda odalys odessa odette odile ofelia ola olena olga
oliva olive olivia olympia oona opal ophelia ora oriana orla ornella otilia ottilie paige palmira paloma pam pamela
pandora paola pascale pat patience patrice patricia patsy patti patty paula paulette paulina pauline paz pearl peg
peggy pella penelope penny perla pernille petra petronella petula philippa philomena phoebe phyllis pia pilar piper
pippa polly pomona poppy portia prima priscilla priya prudence purificacion queenie rachel rachelle rae ragna ragnhild
raisa ramona randi raquel raven raya reba rebeca rebecca regina regine reina rena renata renate renee reta reyna rhea
rhoda rhonda ria rica rikke riley rina rita roberta robin robyn rochelle rocio romana romy ronda rosa rosalba rosalia
rosalie rosalind rosalinda rosaline rosalyn rosamund rosanna rosanne rosaria rosario rose roseann roseanne roselyn
rosella rosemarie rosemary rosetta rosie rosina roswitha rowena roxana roxane roxanne ruby ruth ruthie saara sabina
sabine sabrina sacha sadako sadie sage sally salome samantha samara sandra sandy saoirse sara sarah sarai sari sarita
saskia savannah scarlett selena selina selma senta serafina serena serenity shana shani shania shannon shari sharlene
sharon shauna shawna sheena sheila shelby shelley shelly sheri sherri sherry sheryl shirin shirley shizuko shoshana
sibylle sienna sierra signe sigrid silke silvana silvia simona simone sinead siobhan siri skye sofia sofie solange
soledad solveig sondra sonia sonja sonya sophia sophie soraya stacey staci stacy stefania stefanie stella stephanie
sue suellen sumiko summer sunniva sunita susan susana susanna susannah susanne susie suzanna suzanne suzette svetlana
sybil sydney sylvia sylvie tabitha talia tamar tamara tameka tami tamika tammi tammy tania tanisha tansy tanya tara
taryn tasha tatiana tatjana tatum taylor tea teresa teresita teri terri terry tess tessa thais thalia thea theda
thelma theodora therese theresa thora thyra tia tiara tiffany tilda tillie tina tisha toni tonia tonya tori torill
tove tracey traci tracy tricia trina trine trinidad trinity trish trisha trista trixie trude trudi trudy turid twila
tyra ula ulla ulrika ulrike una urania ursula ute uta valentina valeria valerie vanda vanessa vanna velda velma
vendela venus vera verena verity verna veronica veronika veronique vesna vesta vicki vicky victoria vida vilma
vincenza viola violet violeta violetta virginia virginie vita vittoria viviana vivian vivien vivienne wanda waltraud
wanita wendy whitney wibke wilda wilhelmina willa wilma winifred winnie winona wynona xenia ximena xiomara yadira yael
yasmin yesenia yoko yolanda yoshiko ysabel yuki yuko yulia yvette yvonne zahra zaida zainab zara zelda zelma zena
zenobia zhanna zina zinaida zita zoe zofia zoila zora zoraida zsofia zulema zuzana
adaeze amaka chioma ngozi nneka folake yetunde temitope nomvula thandi lindiwe wanjiru njeri makena aminata fatou
mariama awa ndeye hadiza haruka misaki sakura yumi ayaka kaori kazuko megumi michiyo miho naomi noriko rie saori
setsuko tomoko yasuko minji jiwoo seoyeon soyeon eunji hyejin yuna mei ling xia yan li hong fang hui ping lan thuy
huong hoa nga phuong trang linh
anita aparna archana asha bhavna deepa divya gauri geeta hema indu jyoti kalpana kavita lata madhuri manisha meena
nandini neeta nisha padma pooja preeti radha rashmi rekha renu ritu rupa sangeeta sarita seema shanti shilpa smita
sneha sudha sujata sushma swati uma usha vandana vidya
amal amira asma dalal dina farah farida ghada hala hanan hind huda iman jamila jihan lamia latifa lubna maha malak
manal mona muna nabila nadira naima najwa nawal rana rania reem rima sahar samar samia samira sana sawsan shadia suad
suha thuraya wafa yasmine zahra azadeh fariba farzaneh golnaz laleh mahin maryam mina nasrin negar niloufar parisa
roya shirin soheila
`;
