package redact_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/touchstone-rag/touchstone/internal/redact"
)

// marked takes the guillemets out of a text and returns what stood within them.
func marked(text string) (plain string, values []string) {
	for i, part := range strings.Split(text, "«") {
		value, rest, found := strings.Cut(part, "»")
		if i > 0 && found {
			values = append(values, value)
			part = value + rest
		}
		plain += part
	}
	return plain, values
}

func assertFinds(t *testing.T, look redact.Types, texts ...string) {
	t.Helper()
	for _, text := range texts {
		plain, want := marked(text)
		var got []string
		for _, f := range redact.Append(nil, plain, look) {
			got = append(got, plain[f.Start:f.End])
		}
		assert.Equal(t, want, got, plain)
	}
}

func TestPhonesAreFoundAsTheyAreWrittenInEachCountry(t *testing.T) {
	assertFinds(t, redact.PII,
		"Call «+1.415.555.2672» or «(212) 555-1234 ext. 55».",
		"mobile «07700 900123» (UK), «+44 (0)20 7946 0958»",
		"Tel.: «030/901820-15», Handy «0171 2345678»",
		"tél. «06.12.34.56.78», «+33\u00a01\u00a042\u00a068\u00a053\u00a000»",
		"Tlf: «22 12 34 56»", "Puh. «+358 9 1234 5678»", "kom. «+48 601 234 567»",
		"ТЕЛЕФОН «8 495 123 45 67»", "ΤΗΛ. «210 123 4567»", "טלפון «03-1234567»",
		"mobile no. «9876543210»", "Contact No: «022-23456789»",
		"电话：«6552 9988»", "手机 «13800138000»", "電話番号は«090-1234-5678»です", "전화 «312-3456»",
		"«+52 55 1234 5678», «+54 11 4123-4567», «+56 2 2123 4567»",
		"Tel. «(+39) 02 1234 5678»", "«+27 11 123 4567», «+254 712 345678», «+972-3-123-4567», «+61 2 9374 4000»",
		"Contact «+1\u2011415\u2011555\u20112671» or «1\u2013800\u2013555\u20130199»",
	)
}

func TestNumbersKeepTheirFormUnderTypesettersSpacesAndHyphens(t *testing.T) {
	assertFinds(t, redact.PII,
		"SSN «536\u201122\u20118145»", "Visa «4111\u00a01111\u00a01111\u00a01111»", "Visa «4111.1111.1111.1111»",
		"IBAN «DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000»", "IBAN «GB82\u202fWEST\u202f1234\u202f5698\u202f7654\u202f32»",
		"He gave us «6277 7741 2154 7280 384».",
	)
}

func TestFiguresInRowsAreNoContacts(t *testing.T) {
	for _, text := range []string{
		"Phones 205 489 (191) 973 137,781", "Mobile segment 38571 34656 66400", "Contact lenses 12 557 27802 3,594,869",
		"| Mobile | 1234567 | 2345678 |", "Home and office 46.7 78.9 986 783 1897", "952 342 009 821 147 723 908 082", "776 004 853 918",
		"4728 4124 1270 1572 4697 9410", "+15 000 000 euros", "+1 234 567 890 dollars", "+100 200 300", "8 000 500 35 00",
		"git clone ssh://git@github.com/org/repo",
	} {
		assert.Equal(t, text, redact.Redact(text, redact.PII))
	}
	assertFinds(t, redact.PII, "| Phone | «1234567» | Fax |", "Phone:\n«415 555 2671»\n«415 555 2672»", "Visa «4111 1111 1111 1111» 12/27 123")
}

func TestSecretsAreFoundRightBehindTheirNames(t *testing.T) {
	const value, hex = "g2EyIWYwfbM6txRUQ4Gr4lX8tG0ahLbC", "f646e9a4a2b3c208bad4f61254d9be4b4acff5a6"
	assertFinds(t, redact.Secrets,
		"run it --token «"+value+"»", "the webhook secret «"+hex+"»", "ENV MYSQL_ROOT_PASSWORD «rT7yU8iO9»",
		"Heroku API key «0afae57f-3ccf-4d7f-8767-067bc48b30f7»", "The password was «Xk92!mqa»", "set the password to «Xk92!mqa».",
		"bot token: «"+join("MnXP9eA7k8DNludUA57Yc0Gp.rKFvOv.HFR1C7ipmDvF1_", "-UzVjwCFql30E")+"»",
		"|password|«Qm4!nnV8»|", "* **Password:** «Yb7!kkW3»", "Password — «Xc5!jjR6»", "password -> «Xc5!jjR6»", "the secret key («"+value+"»)",
		"Kennwort: «Zu8!ppL3»", "Passwort ist «Kx9!mmQ2r»", "mot de passe : «Soleil#2024»", "пароль: «qwT7!zx9»", "密码：«Zx9!kkQ2»", "パスワード：«aB3!kk92»", "senha=«Xk92!mqa»",
		"?sv=2022&sig=«9r6TLEiVwX6GWr9HMQSuVOijq8nloV9h8c7S1A2P0vK%3D»&se=2024",
	)
	for _, text := range []string{
		"The token 0x6B175474E89094C44Da98b954EedeAC495271d0F is DAI.", "token address 7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU",
		"bearer CUSIP-912828ZQ6-X1Y2Z3", "credentials AWS-SAA-C03-2023-Q1B2", "password WPA2-PSK", "password UTF-8-NFC-v15.1",
		"pass Q3-FY24-review2", "The password was changed on 2023-11-05T10:30:00Z.", "tokens claude-3-5-sonnet-20241022",
		"encryptPassword(oldPass2New3)", "$password->getHash2Value3()", "password[idx2Pos3Neg4]", "secret (see section4b2c)", "* password * x1y2",
		"пароль не менее 8 символов", "密码：至少8位", "password: !vault |", "https://example.com:8443/@user/post", "http://localhost:8080/path@x",
	} {
		assert.Equal(t, text, redact.Redact(text, redact.Secrets))
	}
}

func TestTokensOfUnlistedProvidersAreFoundByTheirForm(t *testing.T) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	drawn := rand.New(rand.NewPCG(1, 2))
	missed := 0
	for i := range 200 {
		body := make([]byte, 36+i%20)
		for j := range body {
			body[j] = letters[drawn.IntN(len(letters))]
		}
		if redact.Redact(fmt.Sprintf("newco_live_%s", body), redact.Secrets) != "[SECRET]" {
			missed++
		}
	}
	assert.LessOrEqual(t, missed, 6)
	for _, name := range []string{
		"test_thatTheUserCanLoginWithOAuth2AndRefreshTokenAfter30Minutes", "us_gaap_RevenueFromContractWithCustomerExcludingAssessedTax2023",
		"benchmark_ParseJSONWithNestedArraysOfDepth10And1000Elements", "chunk_3f2a9c1b7d4e5f60718293a4b5c6d7e8f9012345",
		"img_4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c.png",
	} {
		assert.Equal(t, name, redact.Redact(name, redact.Secrets))
	}
}
