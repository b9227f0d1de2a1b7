package text

import "unicode/utf8"

// compose returns the one rune for a folded base and the mark that follows it, or 0.
// It covers lower-case Latin, Greek and Cyrillic, Arabic, kana and Hangul: what
// PDF extraction and macOS file names leave decomposed.
func compose(base, mark rune) rune {
	switch {
	case base >= 0x1100 && base <= 0x1112 && mark >= 0x1161 && mark <= 0x1175:
		return 0xAC00 + ((base-0x1100)*21+(mark-0x1161))*28
	case base >= 0xAC00 && base <= 0xD7A3 && mark >= 0x11A8 && mark <= 0x11C2:
		if (base-0xAC00)%28 == 0 {
			return base + mark - 0x11A7
		}
		return 0
	}
	for pairs := composed(mark); pairs != ""; {
		from, size := utf8.DecodeRuneInString(pairs)
		to, toSize := utf8.DecodeRuneInString(pairs[size:])
		if from == base {
			return to
		}
		pairs = pairs[size+toSize:]
	}
	return 0
}

// composed lists, for a mark, each base and what the two make (Unicode's canonical
// decompositions, reversed).
func composed(mark rune) string {
	switch mark {
	case 0x0300:
		return "aàeèiìnǹoòuùwẁyỳ¨῭âầêềôồüǜăằēḕōṑơờưừαὰεὲηὴιὶοὸυὺωὼϊῒϋῢеѐиѝἀἂἁἃἐἒἑἓἠἢἡἣἰἲἱἳὀὂὁὃὐὒὑὓὠὢὡὣ᾿῍῾῝"
	case 0x0301:
		return "aácćeégǵiíkḱlĺmḿnńoópṕrŕsśuúwẃyýzź¨΅âấåǻæǽçḉêếïḯôốõṍøǿüǘăắēḗōṓũṹơớưứαάεέηήιίοόυύωώϊΐϋΰϒϓгѓкќἀἄἁἅἐἔἑἕἠἤἡἥἰἴἱἵὀὄὁὅὐὔὑὕὠὤὡὥ᾿῎῾῞"
	case 0x0302:
		return "aâcĉeêgĝhĥiîjĵoôsŝuûwŵyŷzẑạậẹệọộ"
	case 0x0303:
		return "aãeẽiĩnñoõuũvṽyỹâẫêễôỗăẵơỡưữ"
	case 0x0304:
		return "aāeēgḡiīoōuūyȳäǟæǣõȭöȫüǖǫǭȧǡȯȱαᾱιῑυῡиӣуӯḷḹṛṝ"
	case 0x0306:
		return "aăeĕgğiĭoŏuŭȩḝαᾰιῐυῠаӑеӗжӂийуўạặ"
	case 0x0307:
		return "aȧbḃcċdḋeėfḟgġhḣmṁnṅoȯpṗrṙsṡtṫwẇxẋyẏzżśṥšṧſẛṣṩ"
	case 0x0308:
		return "aäeëhḧiïoötẗuüwẅxẍyÿõṏūṻιϊυϋϒϔаӓеёжӝзӟиӥоӧуӱчӵыӹэӭіїәӛөӫ"
	case 0x0309:
		return "aảeẻiỉoỏuủyỷâẩêểôổăẳơởưử"
	case 0x030A:
		return "aåuůwẘyẙ"
	case 0x030B:
		return "oőuűуӳ"
	case 0x030C:
		return "aǎcčdďeěgǧhȟiǐjǰkǩlľnňoǒrřsštťuǔzžüǚʒǯ"
	case 0x030F:
		return "aȁeȅiȉoȍrȑuȕѵѷ"
	case 0x0311:
		return "aȃeȇiȋoȏrȓuȗ"
	case 0x0313:
		return "αἀεἐηἠιἰοὀρῤυὐωὠ"
	case 0x0314:
		return "αἁεἑηἡιἱοὁρῥυὑωὡ"
	case 0x031B:
		return "oơuư"
	case 0x0323:
		return "aạbḅdḍeẹhḥiịkḳlḷmṃnṇoọrṛsṣtṭuụvṿwẉyỵzẓơợưự"
	case 0x0324:
		return "uṳ"
	case 0x0325:
		return "aḁ"
	case 0x0326:
		return "sștț"
	case 0x0327:
		return "cçdḑeȩgģhḩkķlļnņrŗsştţ"
	case 0x0328:
		return "aąeęiįoǫuų"
	case 0x032D:
		return "dḓeḙlḽnṋtṱuṷ"
	case 0x032E:
		return "hḫ"
	case 0x0330:
		return "eḛiḭuṵ"
	case 0x0331:
		return "bḇdḏhẖkḵlḻnṉrṟtṯzẕ"
	case 0x0342:
		return "¨῁αᾶηῆιῖυῦωῶϊῗϋῧἀἆἁἇἠἦἡἧἰἶἱἷὐὖὑὗὠὦὡὧ᾿῏῾῟"
	case 0x0345:
		return "άᾴήῄαᾳηῃωῳώῴἀᾀἁᾁἂᾂἃᾃἄᾄἅᾅἆᾆἇᾇἠᾐἡᾑἢᾒἣᾓἤᾔἥᾕἦᾖἧᾗὠᾠὡᾡὢᾢὣᾣὤᾤὥᾥὦᾦὧᾧὰᾲὴῂὼῲᾶᾷῆῇῶῷ"
	case 0x0653:
		return "اآ"
	case 0x0654:
		return "اأوؤيئہۂےۓەۀ"
	case 0x0655:
		return "اإ"
	case 0x3099:
		return "うゔかがきぎくぐけげこごさざしじすずせぜそぞただちぢつづてでとどはばひびふぶへべほぼゝゞウヴカガキギクグケゲコゴサザシジスズセゼソゾタダチヂツヅテデトドハバヒビフブヘベホボワヷヰヸヱヹヲヺヽヾ"
	case 0x309A:
		return "はぱひぴふぷへぺほぽハパヒピフプヘペホポ"
	}
	return ""
}
